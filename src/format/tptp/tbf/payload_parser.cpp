// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf/payload_parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::format::tptp {
namespace {

using base::Bytes;
using base::Code;

Layout alternative_of(const MessageInfo& info) {
  switch (info.id) {
    case field::MethodExit::kId: return Layout::number_counter;
    case field::MonWait::kId:
    case field::MonWaited::kId:
    case field::MonContendedEnter::kId:
    case field::MonContendedEntered::kId: return Layout::counted_lists;
    case field::MethodDef::kId:
    case field::ObjAlloc::kId: return Layout::wide_flags;
    default: return Layout::own;
  }
}

bool is_number_counter(const MessageInfo& info, unsigned index, Layout layout) {
  return layout == Layout::number_counter && info.id == field::MethodExit::kId &&
         index == field::MethodExit::sequence_counter;
}

}  // namespace

Parsed PayloadParser::parse(const MessageInfo& info, Bytes payload, const StreamState& state,
                            Message& message) {
  const Parsed own = parse_as(Layout::own, info, payload, state, message);
  if (own.fit == Fit::exact) return own;
  const Layout other = alternative_of(info);
  if (other == Layout::own) return own;
  const Parsed tried = parse_as(other, info, payload, state, message);
  if (tried.fit == Fit::exact) return tried;
  return parse_as(Layout::own, info, payload, state, message);
}

Parsed PayloadParser::parse_as(Layout layout, const MessageInfo& info, Bytes payload,
                               const StreamState& state, Message& message) {
  payload_ = payload;
  state_ = &state;
  parsed_ = {};
  parsed_.layout = layout;
  depth_ = 0;
  message.reset(info);
  for (unsigned i = 0; i < info.attributes.size(); ++i) {
    if (parsed_.fit == Fit::shorter) fill_list(i, message);
    else if (!parse_value(i, message)) return parsed_;
  }
  if (left() != 0 && parsed_.fit == Fit::exact) parsed_.fit = Fit::longer;
  if (!state.times.is_plain()) to_nanoseconds(message);
  return parsed_;
}

bool PayloadParser::fail(Code code, std::int64_t value) {
  parsed_.fit = Fit::broken;
  parsed_.fault = code;
  parsed_.value = value;
  return false;
}

template <class T>
T PayloadParser::take() {
  const T value = load<T>(at(), state_->order);
  parsed_.used += sizeof(T);
  return value;
}

bool PayloadParser::parse_value(unsigned index, Message& message) {
  const AttributeInfo& attribute = message.info().attributes[index];
  if (attribute.is_list()) return parse_list(index, message);
  if (left() == 0) {
    parsed_.fit = Fit::shorter;
    return true;
  }
  if (attribute.type != Type::str) return parse_number(index, message);
  if (is_number_counter(message.info(), index, parsed_.layout)) {
    if (left() < 8) return fail(Code::field_past_end);
    const auto counter = take<std::int64_t>();
    if (counter != 0) message.set_text(index, message.keep(fmt::format("{}", counter)));
    return true;
  }
  std::string_view text;
  if (!parse_text(text)) return false;
  message.set_text(index, utf8(text, message));
  return true;
}

bool PayloadParser::parse_number(unsigned index, Message& message) {
  const AttributeInfo& attribute = message.info().attributes[index];
  const bool wide = attribute.type == Type::i8 && parsed_.layout == Layout::wide_flags;
  if (left() < (wide ? 4 : least_bytes(attribute.type))) return fail(Code::field_past_end);
  std::int64_t value = 0;
  if (attribute.type == Type::i32) value = take<std::int32_t>();
  else if (wide) value = take<std::int32_t>();
  else if (attribute.type == Type::i8) value = take<std::int8_t>();
  else value = take<std::int64_t>();
  if (wide && value != static_cast<std::int8_t>(value)) {
    value = attribute.meaning == Meaning::flag ? 1 : std::clamp<std::int64_t>(value, -128, 127);
    ++parsed_.clamped;
  }
  if (attribute.meaning == Meaning::depth) depth_ = static_cast<std::int32_t>(value);
  message.set_number(index, value);
  return true;
}

bool PayloadParser::parse_text(std::string_view& text) {
  const void* zero = left() == 0 ? nullptr : std::memchr(at(), 0, left());
  if (zero == nullptr) return fail(Code::text_without_end);
  const auto length = static_cast<std::size_t>(static_cast<const std::byte*>(zero) - at());
  if (length > limits_.text_bytes) return fail(Code::text_without_end);
  text = {reinterpret_cast<const char*>(at()), length};
  parsed_.used += length + 1;
  return true;
}

bool PayloadParser::list_count() {
  if (parsed_.layout == Layout::counted_lists) {
    if (left() < 4) return fail(Code::field_past_end);
    if (take<std::int32_t>() != depth_) return fail(Code::count_too_large, depth_);
  }
  if (depth_ < 0 || static_cast<std::size_t>(depth_) > limits_.stack_depth)
    return fail(Code::count_too_large, depth_);
  return true;
}

bool PayloadParser::parse_list(unsigned index, Message& message) {
  const bool numbers = message.info().attributes[index].type == Type::i64s;
  if (!list_count()) return false;
  const auto count = static_cast<std::size_t>(depth_);
  if (numbers && count > 0 && left() == 0 && parsed_.layout == Layout::own) {
    parsed_.fit = Fit::shorter;
    fill_list(index, message);
    return true;
  }
  if (left() / (numbers ? 8 : 1) < count) return fail(Code::count_too_large, depth_);
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view text;
    if (numbers) message.add_number(index, take<std::int64_t>());
    else if (parse_text(text)) message.add_text(index, utf8(text, message));
    else return false;
  }
  return true;
}

// As many as the other list has.
void PayloadParser::fill_list(unsigned index, Message& message) const {
  const Type type = message.info().attributes[index].type;
  for (std::int32_t i = 0; i < depth_; ++i) {
    if (type == Type::i64s) message.add_number(index, 0);
    if (type == Type::strs) message.add_text(index, {});
  }
}

std::string_view PayloadParser::utf8(std::string_view raw, Message& message) {
  if (is_ascii(raw)) return raw;
  scratch_.clear();
  if (!append_utf8(scratch_, raw, state_->charset)) ++parsed_.ill_texts;
  return scratch_ == raw ? raw : message.keep(scratch_);
}

void PayloadParser::to_nanoseconds(Message& message) {
  const auto& attributes = message.info().attributes;
  for (unsigned i = 0; i < attributes.size(); ++i) {
    if (attributes[i].meaning != Meaning::time && attributes[i].meaning != Meaning::span) continue;
    const auto time = state_->times.to_nanoseconds(message.number(i));
    message.set_number(i, time.value);
    if (time.clamped) ++parsed_.clamped;
  }
}

}  // namespace polytrace::format::tptp
