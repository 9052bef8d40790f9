// SPDX-License-Identifier: Apache-2.0
#include "format/hprof/layout/parts.hpp"

#include "format/hprof/layout/big_endian.hpp"

namespace polytrace::format::hprof {
namespace {

using What = Measured::What;

constexpr int kFew = 4;  // records or parts in a row are no chance

// Grows along a class dump, whose lists have entries of different sizes.
class ClassMeasure {
 public:
  ClassMeasure(base::Bytes bytes, std::size_t id_size)
      : bytes_(bytes), id_size_(id_size), at_(1 + 7 * id_size + 8) {}

  Measured measure() {
    constexpr std::size_t kIndex = 2;
    if (!list(kIndex, true) || !list(id_size_, true) || !list(id_size_, false)) return {what_, at_};
    return {What::whole, at_};
  }

 private:
  bool has(std::size_t count) {
    if (at_ + count <= bytes_.size()) return true;
    at_ += count;
    what_ = What::incomplete;
    return false;
  }
  // Entries of a name, a type and perhaps a value.
  bool list(std::size_t name, bool values) {
    if (!has(2)) return false;
    std::size_t count = load_big<std::uint16_t>(bytes_.data() + at_);
    at_ += 2;
    for (; count != 0; --count) {
      if (!has(name + 1)) return false;
      const auto type = static_cast<std::uint8_t>(bytes_[at_ + name]);
      const std::size_t size = value_bytes(type, id_size_);
      if (size == 0) {
        what_ = What::unknown_type;
        return false;
      }
      at_ += name + 1;
      if (!values) continue;
      if (!has(size)) return false;
      at_ += size;
    }
    return true;
  }

  base::Bytes bytes_;
  std::size_t id_size_;
  std::size_t at_;
  What what_ = What::whole;
};

}  // namespace

Measured measure(base::Bytes bytes, std::size_t id_size) {
  const auto part = static_cast<Part>(bytes[0]);
  const std::byte* const at = bytes.data();
  const auto needs = [&](std::size_t head) { return bytes.size() < head; };
  switch (part) {
    case Part::instance: {
      const std::size_t head = 1 + 2 * id_size + 8;
      if (needs(head)) return {What::incomplete, head};
      return {What::whole, head + load_big<std::uint32_t>(at + head - 4)};
    }
    case Part::heap_info: return {What::whole, 1 + 4 + id_size};
    case Part::unreachable: return {What::whole, 1 + id_size};
    case Part::object_array:
    case Part::value_array:
    case Part::bare_array: {
      const std::size_t head = array_head(part, id_size);
      if (needs(head)) return {What::incomplete, head};
      const std::uint64_t length = load_big<std::uint32_t>(at + 1 + id_size + 4);
      if (part == Part::object_array) return {What::whole, head + length * id_size};
      const std::size_t size = value_bytes(static_cast<std::uint8_t>(at[head - 1]), id_size);
      if (size == 0) return {What::unknown_type, head};
      if (part == Part::bare_array) return {What::whole, head};
      return {What::whole, head + length * size};
    }
    case Part::class_dump: return ClassMeasure(bytes, id_size).measure();
    default: break;
  }
  const RootKind* const root = root_kind(part);
  if (root == nullptr) return {What::unknown_part, 1};
  const std::size_t reference = part == Part::jni_global ? id_size : 0;
  return {What::whole,
          1 + id_size + reference + 4 * (std::size_t{root->has_thread} + root->numbers)};
}

bool records_begin(base::Bytes bytes, bool whole) {
  constexpr std::size_t kLongest = std::size_t{1} << 24;  // but for heap dumps
  std::size_t at = 0;
  for (int i = 0; i < kFew && at < bytes.size(); ++i) {
    const base::Bytes rest = bytes.subspan(at);
    if (rest.size() < kRecordHead) return !whole;
    const auto tag = static_cast<std::uint8_t>(rest[0]);
    const std::size_t length = load_big<std::uint32_t>(&rest[5]);
    if (!is_record(tag)) return false;
    if (rest.size() - kRecordHead < length)
      return is_heap(Tag{tag}) || (!whole && length < kLongest);
    at += kRecordHead + length;
  }
  return true;
}

bool parts_begin(base::Bytes bytes, std::size_t id_size, bool whole) {
  std::size_t at = 0;
  for (int i = 0; i < kFew && at < bytes.size(); ++i) {
    const Measured one = measure(bytes.subspan(at), id_size);
    if (one.what == What::unknown_part)
      return at != 0 && !whole && records_begin(bytes.subspan(at), false);
    if (one.what == What::unknown_type) return false;
    if (one.bytes > bytes.size() - at) return !whole;
    at += static_cast<std::size_t>(one.bytes);
  }
  return at != 0;
}

}  // namespace polytrace::format::hprof
