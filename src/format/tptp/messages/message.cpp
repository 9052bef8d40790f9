// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/messages/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "event/text/quoted.hpp"

namespace polytrace::format::tptp {
namespace {

std::string value_text(const Message& message, unsigned i) {
  std::string text;
  switch (message.info().attributes[i].type) {
    case Type::str: event::append_quoted(text, message.text(i)); break;
    case Type::f64: text = fmt::format("{}", std::bit_cast<double>(message.number(i))); break;
    case Type::i64s: text = fmt::format("[{}]", fmt::join(message.numbers(i), ", ")); break;
    case Type::strs:
      for (const std::string_view item : message.texts(i)) {
        text += text.empty() ? "[" : ", ";
        event::append_quoted(text, item);
      }
      text += ']';
      break;
    default: text = fmt::format("{}", message.number(i));
  }
  return text;
}

bool same_value(const Message& a, const Message& b, unsigned i) {
  switch (a.info().attributes[i].type) {
    case Type::str: return a.text(i) == b.text(i);
    case Type::strs: return std::ranges::equal(a.texts(i), b.texts(i));
    case Type::i64s: return std::ranges::equal(a.numbers(i), b.numbers(i));
    default: return a.number(i) == b.number(i);
  }
}

}  // namespace

bool same_message(const Message& a, const Message& b) {
  if (&a.info() != &b.info()) return false;
  for (unsigned i = 0; i < a.info().attributes.size(); ++i) {
    if (!same_value(a, b, i)) return false;
  }
  return true;
}

std::string to_text(const Message& message) {
  std::string text(message.info().element);
  for (unsigned i = 0; i < message.info().attributes.size(); ++i) {
    if (message.is_default(i)) continue;
    text += fmt::format(" {}={}", message.info().attributes[i].field, value_text(message, i));
  }
  return text;
}

}  // namespace polytrace::format::tptp
