// SPDX-License-Identifier: Apache-2.0
#include "history/files/json_value.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/codes.hpp"
#include "base/text/base64.hpp"
#include "history/model/value.hpp"

namespace polytrace::history {
namespace {

using base::Code;
using Kind = simdjson::dom::element_type;

base::Unexpected conflict(Type type) {
  return base::fail(Code::type_conflict, fmt::format("is no {}", name(type)));
}

base::result<Value> read_boolean(JsonElement element) {
  bool truth = false;
  if (element.get(truth) != simdjson::SUCCESS) return conflict(Type::boolean);
  return Value::of(truth);
}

base::result<Value> read_integer(JsonElement element) {
  if (const auto number = as_int64(element)) return Value::of(*number);
  if (element.type() != Kind::UINT64) return conflict(Type::integer);
  return base::fail(Code::number_too_long, "an integer beyond 2^63 - 1");
}

// An integer is taken only where a double can be exactly that.
base::result<Value> read_real(JsonElement element) {
  double number = 0;
  if (element.type() == Kind::DOUBLE && element.get(number) == simdjson::SUCCESS)
    return Value::of(number);
  if (const auto integer = as_int64(element)) {
    constexpr std::int64_t kExact = std::int64_t{1} << 53;
    if (*integer >= -kExact && *integer <= kExact) return Value::of(static_cast<double>(*integer));
    return conflict(Type::real);
  }
  const auto text = as_text(element);
  if (text == "NaN") return Value::of(std::numeric_limits<double>::quiet_NaN());
  if (text == "Infinity") return Value::of(std::numeric_limits<double>::infinity());
  if (text == "-Infinity") return Value::of(-std::numeric_limits<double>::infinity());
  return conflict(Type::real);
}

base::result<Value> read_text(JsonElement element, Type type, Texts& texts) {
  const auto text = as_text(element);
  if (!text) return conflict(type);
  std::string kept(*text);
  if (type == Type::string) return Value::text(texts.keep(std::move(kept)));
  const auto size = base::decode_base64(kept, kept.data());
  if (!size) return base::fail(Code::value_unexpected, "is no base64");
  kept.resize(*size);
  return Value::bytes(texts.keep(std::move(kept)));
}

base::result<Value> read_as(JsonElement element, Type type, Texts& texts) {
  switch (type) {
    case Type::boolean: return read_boolean(element);
    case Type::integer: return read_integer(element);
    case Type::real: return read_real(element);
    case Type::string:
    case Type::bytes: return read_text(element, type, texts);
    default: return conflict(type);
  }
}

// On a timeline of any type, JSON's own type is the value's.
base::result<Value> read_untagged(JsonElement element, Texts& texts) {
  if (element.is_bool()) return read_boolean(element);
  if (element.is_string()) return read_text(element, Type::string, texts);
  if (element.type() == Kind::DOUBLE) return read_real(element);
  return read_integer(element);
}

// JSON cannot tell these from others.
bool needs_tag(const Value& value) {
  if (value.type() == Type::real) return !std::isfinite(value.real());
  return value.type() == Type::none || value.type() == Type::bytes;
}

void write_real(base::JsonWriter& json, double number) {
  std::string text;
  append_double(text, number);
  if (std::isfinite(number)) json.number(text);
  else json.value(text);
}

void write_plain(base::JsonWriter& json, const Value& value) {
  switch (value.type()) {
    case Type::boolean: return json.value(value.truth());
    case Type::integer: return json.number(fmt::to_string(value.integer()));
    case Type::real: return write_real(json, value.real());
    case Type::string: return json.value(value.text());
    case Type::bytes: {
      std::string text;
      base::append_base64(text, value.text());
      return json.value(text);
    }
    default: return json.null();
  }
}

}  // namespace

base::result<Value> read_value(const std::optional<JsonElement>& value,
                               const std::optional<JsonElement>& type, Type timeline,
                               Texts& texts) {
  if (timeline == Type::open) return base::fail(Code::value_unexpected, "is of an unknown type");
  Type own = timeline;
  if (type) {
    const auto told = as_text(*type);
    own = told ? find_type(*told).value_or(Type::open) : Type::open;
    if (own == Type::open) return base::fail(Code::value_unexpected, "is of an unknown type");
    if (timeline != Type::any && own != timeline) return conflict(timeline);
  }
  if (value && value->is_null()) return Value::null();
  if (!value) return own == Type::none ? Value::exists() : Value::null();
  return own == Type::any ? read_untagged(*value, texts) : read_as(*value, own, texts);
}

void write_value(base::JsonWriter& json, const Value& value, Type timeline) {
  if (timeline == Type::any && needs_tag(value)) json.member("type", name(value.type()));
  if (value.type() == Type::none) return;
  json.key("value");
  write_plain(json, value);
}

}  // namespace polytrace::history
