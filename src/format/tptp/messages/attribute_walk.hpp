// SPDX-License-Identifier: Apache-2.0
// Steps over the attributes of a message's bytes, in the catalogue's own layout, without decoding
// them. One thread at a time; views the bytes.
#pragma once

#include "format/tptp/messages/byte_order.hpp"
#include "format/tptp/messages/catalogue.hpp"

namespace polytrace::format::tptp {

class AttributeWalk {
 public:
  AttributeWalk(const MessageInfo& message, base::Bytes payload, ByteOrder order)
      : message_(message), payload_(payload), order_(order) {}

  // Goes to the next attribute. False behind the last one, and where one does not fit.
  bool next() {
    if (failed_ || passed_ == message_.attributes.size()) return false;
    ++passed_;
    begin_ = end_;
    failed_ = !step();
    return !failed_;
  }
  // Whether all attributes were passed.
  bool complete() const { return !failed_ && passed_ == message_.attributes.size(); }
  std::size_t consumed() const { return end_; }

  const AttributeInfo& attribute() const { return message_.attributes[passed_ - 1]; }
  // Of an i64 attribute.
  std::int64_t number() const { return load<std::int64_t>(payload_.data() + begin_, order_); }

 private:
  bool take(std::size_t bytes) {
    if (payload_.size() - end_ < bytes) return false;
    end_ += bytes;
    return true;
  }
  bool take_text() {
    const std::size_t left = payload_.size() - end_;
    const void* zero = left == 0 ? nullptr : std::memchr(payload_.data() + end_, 0, left);
    if (zero == nullptr) return false;
    end_ = static_cast<std::size_t>(static_cast<const std::byte*>(zero) - payload_.data()) + 1;
    return true;
  }
  bool take_texts() {
    if (depth_ < 0 || static_cast<std::size_t>(depth_) > payload_.size() - end_) return false;
    for (std::int32_t i = 0; i < depth_; ++i) {
      if (!take_text()) return false;
    }
    return true;
  }
  bool step() {
    switch (attribute().type) {
      case Type::str: return take_text();
      case Type::strs: return take_texts();
      case Type::i64s: return depth_ >= 0 && take(static_cast<std::size_t>(depth_) * 8);
      default: break;
    }
    if (!take(least_bytes(attribute().type))) return false;
    if (attribute().meaning == Meaning::depth)
      depth_ = load<std::int32_t>(payload_.data() + begin_, order_);
    return true;
  }

  const MessageInfo& message_;
  base::Bytes payload_;
  ByteOrder order_;
  std::size_t passed_ = 0;
  std::size_t begin_ = 0;  // of the current attribute
  std::size_t end_ = 0;
  std::int32_t depth_ = 0;
  bool failed_ = false;
};

}  // namespace polytrace::format::tptp
