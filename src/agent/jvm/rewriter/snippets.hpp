// SPDX-License-Identifier: Apache-2.0
// The code that is inserted, for one class: its calls go through entries of the class's constant
// pool, added when first needed. A full pool gives wrong code and Constants::full() tells.
#pragma once

#include <array>

#include "agent/jvm/rewriter/classfile/constants.hpp"

namespace polytrace::agent::jvm::rewriter {

class Snippet {
 public:
  View view() const { return {bytes_.data(), size_}; }
  std::uint32_t size() const { return size_; }
  void u1(std::size_t value) { bytes_[size_++] = static_cast<std::uint8_t>(value); }
  void u2(std::size_t value) {
    u1(value >> 8);
    u1(value);
  }

 private:
  std::array<std::uint8_t, 8> bytes_{};
  std::uint8_t size_ = 0;
};

class Snippets {
 public:
  explicit Snippets(Constants& constants) : constants_(constants) {}

  // The stack grows by one word.
  Snippet enter(std::uint32_t id) { return call(id, enter_, "enter", "(I)V"); }
  Snippet exit(std::uint32_t id) { return call(id, exit_, "exit", "(I)V"); }
  Snippet unwind(std::uint32_t id) { return call(id, unwind_, "unwind", "(I)V"); }
  Snippet site(std::uint32_t id) { return call(id, site_, "site", "(I)V"); }
  // With the array on the stack, where it stays; the stack grows by two words.
  Snippet array(std::uint32_t id);
  Snippet grid(std::uint32_t id);  // the same of an array of arrays that were made with it

  std::uint16_t throwable();

 private:
  void push(Snippet& snippet, std::uint32_t id);
  void invoke(Snippet& snippet, std::uint16_t& method, std::string_view name,
              std::string_view descriptor);
  Snippet call(std::uint32_t id, std::uint16_t& method, std::string_view name,
               std::string_view descriptor);

  Constants& constants_;
  std::uint16_t probe_ = 0;  // entries of the pool; 0: not yet there
  std::uint16_t enter_ = 0;
  std::uint16_t exit_ = 0;
  std::uint16_t unwind_ = 0;
  std::uint16_t site_ = 0;
  std::uint16_t array_ = 0;
  std::uint16_t grid_ = 0;
  std::uint16_t throwable_ = 0;
  std::uint32_t integer_value_ = 0;  // the last one added
  std::uint16_t integer_ = 0;
};

}  // namespace polytrace::agent::jvm::rewriter
