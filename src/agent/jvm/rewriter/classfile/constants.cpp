// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/classfile/constants.hpp"

namespace polytrace::agent::jvm::rewriter {

namespace {

constexpr std::size_t kMostConstants = 65535;

enum Tag : std::uint8_t {
  kUtf8 = 1,
  kInteger = 3,
  kLong = 5,
  kDouble = 6,
  kClass = 7,
  kFieldref = 9,
  kInterfaceMethodref = 11,
  kNameAndType = 12,
  kMethodref = 10,
};

// Bytes behind the tag by kind of entry; 0 for what does not exist and for texts, which tell it.
constexpr std::array<std::uint8_t, 21> kSizes = {0, 0, 0, 4, 4, 8, 8, 2, 2, 4, 4,
                                                 4, 4, 0, 0, 3, 2, 4, 4, 2, 2};

}  // namespace

bool Constants::parse(View class_file, Input& input) {
  file_ = class_file;
  count_ = input.u2();
  if (!input.ok() || count_ == 0) return false;
  offsets_.assign(count_, 0);
  const std::size_t start = input.at();
  for (std::size_t i = 1; i < count_; ++i) {
    offsets_[i] = static_cast<std::uint32_t>(input.at());
    if (!parse_entry(input, i)) return false;
    const std::uint8_t tag = file_[offsets_[i]];
    if (tag == kLong || tag == kDouble) ++i;
  }
  original_ = input.since(start);
  return true;
}

bool Constants::parse_entry(Input& input, std::size_t index) {
  const std::uint8_t tag = input.u1();
  if (tag == kUtf8) {
    input.take(input.u2());
  } else {
    if (tag >= kSizes.size() || kSizes[tag] == 0) return false;
    input.take(kSizes[tag]);
  }
  const bool wide = tag == kLong || tag == kDouble;
  return input.ok() && index + (wide ? 1 : 0) < count_;
}

View Constants::entry(std::size_t index, std::uint8_t tag, std::size_t size) const {
  if (index >= offsets_.size() || offsets_[index] == 0 || file_[offsets_[index]] != tag) return {};
  return file_.subspan(offsets_[index] + 1, size);
}

std::string_view Constants::utf8(std::size_t index) const {
  const View length = entry(index, kUtf8, 2);
  if (length.empty()) return {};
  return text_of(file_.subspan(offsets_[index] + 3, load_u2(length, 0)));
}

std::string_view Constants::class_name(std::size_t index) const {
  const View name = entry(index, kClass, 2);
  return name.empty() ? std::string_view{} : utf8(load_u2(name, 0));
}

Constants::Member Constants::member(std::size_t index) const {
  for (std::uint8_t tag = kFieldref; tag <= kInterfaceMethodref; ++tag) {
    const View reference = entry(index, tag, 4);
    if (reference.empty()) continue;
    const View pair = entry(load_u2(reference, 2), kNameAndType, 4);
    if (pair.empty()) return {};
    return {class_name(load_u2(reference, 0)), utf8(load_u2(pair, 0)), utf8(load_u2(pair, 2))};
  }
  return {};
}

std::uint16_t Constants::add(std::uint8_t tag) {
  if (full_ || count_ >= kMostConstants) {
    full_ = true;
    return 0;
  }
  added_.u1(tag);
  return static_cast<std::uint16_t>(count_++);
}

std::uint16_t Constants::add_utf8(std::string_view text) {
  const std::uint16_t index = add(kUtf8);
  if (index == 0) return 0;
  added_.u2(text.size());
  added_.append(text);
  return index;
}

std::uint16_t Constants::add_class(std::string_view name) {
  const std::uint16_t text = add_utf8(name);
  const std::uint16_t index = add(kClass);
  if (index != 0) added_.u2(text);
  return index;
}

std::uint16_t Constants::add_member(std::uint8_t tag, std::uint16_t class_index,
                                    std::string_view name, std::string_view descriptor) {
  const std::uint16_t name_index = add_utf8(name);
  const std::uint16_t descriptor_index = add_utf8(descriptor);
  const std::uint16_t pair = add(kNameAndType);
  if (pair == 0) return 0;
  added_.u2(name_index);
  added_.u2(descriptor_index);
  const std::uint16_t index = add(tag);
  if (index == 0) return 0;
  added_.u2(class_index);
  added_.u2(pair);
  return index;
}

std::uint16_t Constants::add_method(std::uint16_t class_index, std::string_view name,
                                    std::string_view descriptor) {
  return add_member(kMethodref, class_index, name, descriptor);
}

std::uint16_t Constants::add_field(std::uint16_t class_index, std::string_view name,
                                   std::string_view descriptor) {
  return add_member(kFieldref, class_index, name, descriptor);
}

std::uint16_t Constants::add_integer(std::uint32_t value) {
  const std::uint16_t index = add(kInteger);
  if (index != 0) added_.u4(value);
  return index;
}

void Constants::write(Output& output) const {
  output.u2(count_);
  output.append(original_);
  output.append(added_.view());
}

}  // namespace polytrace::agent::jvm::rewriter
