// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/names/signature.hpp"

#include <algorithm>
#include <vector>

#include "agent/coreclr/names/elements.hpp"
#include "agent/coreclr/names/type_name.hpp"

namespace polytrace::agent::coreclr {
namespace {

// Bytes of a signature that are not one-byte types.
enum Element : std::uint8_t {
  kPointer = 0x0f,
  kByReference = 0x10,
  kValueType = 0x11,
  kClass = 0x12,
  kTypeVariable = 0x13,
  kArray = 0x14,
  kInstance = 0x15,
  kFunctionPointer = 0x1b,
  kVector = 0x1d,
  kMethodVariable = 0x1e,
  kRequired = 0x1f,
  kOptional = 0x20,
  kSentinel = 0x41,
  kPinned = 0x45
};

constexpr std::uint32_t kGeneric = 0x10;     // of the calling convention
constexpr unsigned kDeepest = 32;            // types in types
constexpr std::size_t kLongest = 16 * 1024;  // bytes of text

class Reader {
 public:
  Reader(std::span<const std::uint8_t> bytes, const TokenNames& names)
      : bytes_(bytes), names_(names) {}

  bool ok() const { return ok_; }
  bool at(std::uint8_t element) {
    if (bytes_.empty() || bytes_[0] != element) return false;
    bytes_ = bytes_.subspan(1);
    return true;
  }
  std::uint32_t byte() {
    if (bytes_.empty()) return fail();
    const std::uint32_t value = bytes_[0];
    bytes_ = bytes_.subspan(1);
    return value;
  }
  // One, two or four bytes, big end first, by the leading bits.
  std::uint32_t number() {
    const std::uint32_t first = byte();
    if ((first & 0x80) == 0) return first;
    if ((first & 0x40) == 0) return (first & 0x3f) << 8 | byte();
    const std::uint32_t second = byte();
    const std::uint32_t third = byte();
    return (first & 0x1f) << 24 | second << 16 | third << 8 | byte();
  }
  std::string type(unsigned depth = 0);
  // Return type and parameters: `text` gets them.
  void method(MethodText& text, unsigned depth);

 private:
  std::uint32_t fail() {
    ok_ = false;
    bytes_ = {};
    return 0;
  }
  void skip_modifiers() {
    while (at(kRequired) || at(kOptional)) number();
  }
  // A type's token, without its table's number in front.
  std::uint32_t token() {
    constexpr std::uint32_t kTables[] = {0x02000000, 0x01000000, 0x1b000000, 0};
    const std::uint32_t coded = number();
    return kTables[coded & 3] | coded >> 2;
  }
  std::string instance(unsigned depth);
  std::string array(unsigned depth);
  std::string function_pointer(unsigned depth);
  std::string parameters(std::uint32_t count, unsigned depth);
  std::string compound(std::uint32_t element, unsigned depth);

  std::span<const std::uint8_t> bytes_;
  const TokenNames& names_;
  std::size_t text_ = 0;  // bytes of text so far
  bool ok_ = true;
};

std::string Reader::type(unsigned depth) {
  skip_modifiers();
  if (depth > kDeepest || !ok_ || text_ > kLongest) return fail(), std::string();
  const std::uint32_t element = byte();
  std::string text(element_name(element));
  if (text.empty()) text = compound(element, depth + 1);
  text_ += text.size();
  return text;
}

std::string Reader::compound(std::uint32_t element, unsigned depth) {
  switch (element) {
    case kPointer: return type(depth) + '*';
    case kByReference: return "ref " + type(depth);
    case kValueType:
    case kClass: return type_name(names_.name_of(token()), {});
    case kTypeVariable: return formal_of_type(number());
    case kMethodVariable: return formal_of_method(number());
    case kVector: return type(depth) + array_suffix(1);
    case kArray: return array(depth);
    case kInstance: return instance(depth);
    case kFunctionPointer: return function_pointer(depth);
    case kPinned: return type(depth);
    default: return fail(), std::string();
  }
}

// Sizes and lower bounds of an array's dimensions are not told.
std::string Reader::array(unsigned depth) {
  std::string text = type(depth);
  const std::uint32_t rank = number();
  for (int list = 0; list < 2; ++list) {
    for (std::uint32_t left = number(); left > 0 && ok_; --left) number();
  }
  return text + array_suffix(rank);
}

std::string Reader::instance(unsigned depth) {
  byte();  // class or value type
  const std::string name = names_.name_of(token());
  std::vector<std::string> arguments;
  for (std::uint32_t left = number(); left > 0 && ok_; --left) arguments.push_back(type(depth));
  return type_name(name, arguments);
}

std::string Reader::function_pointer(unsigned depth) {
  MethodText text;
  method(text, depth);
  return text.returns + text.parameters + '*';
}

std::string Reader::parameters(std::uint32_t count, unsigned depth) {
  std::string text = "(";
  for (std::uint32_t i = 0; i < count && ok_; ++i) {
    if (i != 0) text += ", ";
    if (at(kSentinel)) text += "..., ";
    text += type(depth);
  }
  return text + ')';
}

void Reader::method(MethodText& text, unsigned depth) {
  const std::uint32_t convention = byte();
  if ((convention & kGeneric) != 0) number();
  const std::uint32_t count = number();
  text.returns = type(depth);
  text.parameters = parameters(count, depth);
}

}  // namespace

std::string_view element_name(std::uint32_t element) {
  struct Row {
    std::uint32_t element;
    std::string_view name;
  };
#define ELEMENT(byte, name) {byte, name},
  static constexpr Row kRows[] = {
#include "agent/coreclr/names/elements.def"
  };
#undef ELEMENT
  const auto* found = std::ranges::find(kRows, element, &Row::element);
  return found == std::end(kRows) ? std::string_view() : found->name;
}

MethodText method_text(std::span<const std::uint8_t> signature, const TokenNames& names) {
  Reader reader(signature, names);
  MethodText text;
  reader.method(text, 0);
  if (!reader.ok()) return {std::string(kUnknownName), "(?)"};
  return text;
}

}  // namespace polytrace::agent::coreclr
