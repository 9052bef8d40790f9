// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/class_maker.hpp"

#include <stdexcept>

namespace polytrace::agent::jvm::test {

Bytes u2(std::size_t value) {
  return {static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
}

Bytes u4(std::size_t value) { return joined({u2(value >> 16), u2(value)}); }

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes whole;
  for (const Bytes& part : parts) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

MadeMethod& MadeMethod::attribute(Bytes name_index, const Bytes& body) {
  attributes = joined({attributes, std::move(name_index), u4(body.size()), body});
  ++attribute_count;
  return *this;
}

ClassMaker::ClassMaker(std::string_view name, std::uint16_t version)
    : version_(version), this_(class_entry(name)), super_(class_entry("java/lang/Object")) {}

std::size_t ClassMaker::add(Bytes entry, std::size_t slots) {
  constants_ = joined({std::move(constants_), std::move(entry)});
  count_ += slots;
  return count_ - slots;
}

std::size_t ClassMaker::utf8(std::string_view text) {
  if (const auto known = texts_.find(text); known != texts_.end()) return known->second;
  const std::size_t index = add(joined({{1}, u2(text.size()), Bytes(text.begin(), text.end())}));
  return texts_[std::string(text)] = index;
}

std::size_t ClassMaker::class_entry(std::string_view name) {
  const std::size_t text = utf8(name);
  return add(joined({{7}, u2(text)}));
}

std::size_t ClassMaker::method_entry(std::string_view type, std::string_view name,
                                     std::string_view descriptor) {
  const std::size_t type_index = class_entry(type);
  const std::size_t name_index = utf8(name);
  const std::size_t pair = add(joined({{12}, u2(name_index), u2(utf8(descriptor))}));
  return add(joined({{10}, u2(type_index), u2(pair)}));
}

std::size_t ClassMaker::long_entry(std::uint64_t value) {
  return add(joined({{5}, u4(value >> 32), u4(value)}), 2);
}

void ClassMaker::fill_constants(std::size_t count) {
  for (Bytes more; count_ < count; ++count_) constants_.insert(constants_.end(), {3, 0, 0, 0, 7});
}

void ClassMaker::lines(MadeMethod& method, std::initializer_list<std::pair<int, int>> pairs) {
  Bytes body = u2(pairs.size());
  for (const auto& [place, line] : pairs)
    body = joined({body, u2(static_cast<std::size_t>(place)), u2(static_cast<std::size_t>(line))});
  method.attribute(u2(utf8("LineNumberTable")), body);
}

void ClassMaker::frames(MadeMethod& method, std::size_t count, const Bytes& frames) {
  method.attribute(u2(utf8("StackMapTable")), joined({u2(count), frames}));
}

Bytes ClassMaker::make(std::vector<MadeMethod> methods) {
  Bytes rest = joined({u2(0x0021), u2(this_), u2(super_), u2(interfaces_.size())});
  for (const std::size_t interface : interfaces_) rest = joined({rest, u2(interface)});
  rest = joined({rest, u2(0), u2(methods.size())});
  for (const MadeMethod& method : methods) {
    rest = joined({rest, u2(method.access), u2(utf8(method.name)), u2(utf8(method.descriptor)),
                   u2(method.code.empty() ? 0 : 1)});
    if (method.code.empty()) continue;
    const Bytes body = joined({u2(method.max_stack), u2(method.max_locals), u4(method.code.size()),
                               method.code, u2(method.handlers.size() / 8), method.handlers,
                               u2(method.attribute_count), method.attributes});
    rest = joined({rest, u2(utf8("Code")), u4(body.size()), body});
  }
  rest = joined({rest, u2(source_.empty() ? 0 : 1)});
  if (!source_.empty()) {
    const std::size_t name = utf8("SourceFile");
    rest = joined({rest, u2(name), u4(2), u2(utf8(source_))});
  }
  return joined({{0xca, 0xfe, 0xba, 0xbe}, u2(0), u2(version_), u2(count_), constants_, rest});
}

namespace {

class Walk {
 public:
  explicit Walk(const Bytes& bytes) : bytes_(bytes) {}
  std::size_t number(int size) {
    std::size_t value = 0;
    while (size-- > 0) value = value << 8 | bytes_.at(at++);
    return value;
  }
  Bytes take(std::size_t size) {
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(at);
    at += size;
    if (at > bytes_.size()) throw std::out_of_range("class file");
    return {from, from + static_cast<std::ptrdiff_t>(size)};
  }
  std::size_t at = 0;

 private:
  const Bytes& bytes_;
};

constexpr std::size_t kEntrySizes[] = {0, 0, 0, 4, 4, 8, 8, 2, 2, 4, 4,
                                       4, 4, 0, 0, 3, 2, 4, 4, 2, 2};

}  // namespace

ClassReader::ClassReader(Bytes file) : file_(std::move(file)), entries_(1) {
  Walk walk(file_);
  walk.at = 8;
  for (std::size_t left = walk.number(2) - 1; left > 0; --left) {
    entries_.push_back(walk.at);
    const std::size_t tag = walk.number(1);
    walk.take(tag == 1 ? walk.number(2) : kEntrySizes[tag]);
    if (tag != 5 && tag != 6) continue;
    entries_.push_back(0);
    --left;
  }
  walk.take(6);
  walk.take(2 * walk.number(2));
  walk.take(8 * walk.number(2));  // fields without attributes
  for (std::size_t left = walk.number(2); left > 0; --left) {
    walk.number(2);
    FoundMethod& found = methods_.emplace_back();
    found.name = utf8(walk.number(2));
    walk.number(2);
    if (walk.number(2) == 0) continue;
    walk.take(6);
    found.max_stack = static_cast<std::uint16_t>(walk.number(2));
    found.max_locals = static_cast<std::uint16_t>(walk.number(2));
    found.code = walk.take(walk.number(4));
    found.handlers = walk.take(8 * walk.number(2));
    for (std::size_t more = walk.number(2); more > 0; --more) {
      const std::string name = utf8(walk.number(2));
      found.attributes[name] = walk.take(walk.number(4));
    }
  }
}

const FoundMethod& ClassReader::method(std::string_view name) const {
  for (const FoundMethod& found : methods_)
    if (found.name == name) return found;
  throw std::out_of_range("no such method");
}

std::string ClassReader::utf8(std::size_t index) const {
  Walk walk(file_);
  walk.at = at(index) + 1;
  const Bytes text = walk.take(walk.number(2));
  return {text.begin(), text.end()};
}

std::string ClassReader::constant(std::size_t index) const {
  Walk walk(file_);
  walk.at = at(index);
  const std::size_t tag = walk.number(1);
  if (tag == 3) return std::to_string(walk.number(4));
  if (tag == 7) return utf8(walk.number(2));
  if (tag != 10) throw std::out_of_range("constant of another kind");
  const std::string type = constant(walk.number(2));
  Walk pair(file_);
  pair.at = at(walk.number(2)) + 1;
  const std::string name = utf8(pair.number(2));
  return type + "." + name + utf8(pair.number(2));
}

}  // namespace polytrace::agent::jvm::test
