// SPDX-License-Identifier: Apache-2.0
#include "base/codes.hpp"

#include <fmt/format.h>

#include <array>

namespace polytrace::base {
namespace {

constexpr std::array kCodes{
#define CODE(identifier, name, exit, sentence, next) \
  CodeInfo{Code::identifier, name, exit, sentence, next},
#include "base/codes.def"
#undef CODE
};

}  // namespace

const CodeInfo& describe(Code code) { return kCodes[static_cast<std::size_t>(code)]; }

const CodeInfo* find_code(std::string_view name) {
  for (const CodeInfo& info : kCodes) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::size_t code_count() { return kCodes.size(); }

std::string to_text(const Place& place) {
  std::string text;
  if (place.offset != kNoOffset) text = fmt::format("offset {:#x}", place.offset);
  if (place.line != 0) text = fmt::format("line {}:{}", place.line, place.column);
  if (!place.frame.empty()) text += fmt::format("{}({})", text.empty() ? "" : " ", place.frame);
  return text;
}

std::string to_text(const Error& error) {
  std::string text = to_text(error.place);
  if (!text.empty()) text += ": ";
  text += describe(error.code).sentence;
  if (!error.detail.empty()) text += ": " + error.detail;
  return text;
}

}  // namespace polytrace::base
