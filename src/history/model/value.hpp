// SPDX-License-Identifier: Apache-2.0
// What a state can be: a tick, a key, a type, a value (docs/formats/state-history.md, "Model").
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace polytrace::history {

// A point in time, in the history's own unit (1 ns unless it says otherwise).
using Tick = std::int64_t;

// Names one timeline: 0 to 2^32 - 2.
using Key = std::uint32_t;
inline constexpr Key kRoot = 0;
inline constexpr Key kNoKey = ~Key{0};

// The type of a timeline, and of each value. The numbers are those of history.bin.
enum class Type : std::uint8_t {
  none = 0,  // no value: an interval that just exists
  boolean = 1,
  integer = 2,  // signed 64-bit
  real = 3,     // binary64, any bit pattern
  string = 4,   // UTF-8
  bytes = 5,    // octets
  any = 15,     // a timeline whose intervals carry each its own type; no value has it
  open = 255,   // a timeline that has no type yet; the type of null
};
// "none", "bool", "int", "double", "string", "bytes", "any"; "null" for open.
std::string_view name(Type type);
// By those names and "variant", a synonym of any.
std::optional<Type> find_type(std::string_view name);

// One value, or null. Text is a view: who makes the value says how long it lives.
class Value {
 public:
  static Value null() { return {}; }
  static Value exists() { return Value(Type::none, 0, {}); }
  static Value of(bool truth) { return Value(Type::boolean, truth ? 1 : 0, {}); }
  static Value of(std::int64_t number) {
    return Value(Type::integer, static_cast<std::uint64_t>(number), {});
  }
  static Value of(double number) {
    return Value(Type::real, std::bit_cast<std::uint64_t>(number), {});
  }
  static Value text(std::string_view text) { return Value(Type::string, 0, text); }
  static Value bytes(std::string_view octets) { return Value(Type::bytes, 0, octets); }

  // Of any type, by its bits or its text: what the type does not have is ignored. Types that have
  // no name here are values that just exist, Type::open is null.
  static Value from(Type type, std::uint64_t bits, std::string_view text) {
    const auto code = static_cast<unsigned>(type);
    const bool has_bits = code - 1 < 3;
    const bool has_text = code - 4 < 2;
    if (type == Type::boolean) bits = bits != 0 ? 1 : 0;
    return Value(has_bits || has_text || type == Type::open ? type : Type::none,
                 has_bits ? bits : 0, has_text ? text : std::string_view());
  }

  // Type::open for null.
  Type type() const { return type_; }
  bool is_null() const { return type_ == Type::open; }

  // Each REQUIRES its type.
  bool truth() const { return bits_ != 0; }
  std::int64_t integer() const { return static_cast<std::int64_t>(bits_); }
  double real() const { return std::bit_cast<double>(bits_); }
  std::string_view text() const { return text_; }  // of string and bytes

  // The 64 bits of a boolean, integer or real.
  std::uint64_t bits() const { return bits_; }

  // Doubles are equal when their bits are.
  friend bool operator==(const Value&, const Value&) = default;

 private:
  Value() = default;
  Value(Type type, std::uint64_t bits, std::string_view text)
      : type_(type), bits_(bits), text_(text) {}

  Type type_ = Type::open;
  std::uint64_t bits_ = 0;
  std::string_view text_{};
};

// One state: `value` holds from `start` to `end`, both inclusive.
struct Interval {
  Key key = kNoKey;
  Tick start = 0;
  Tick end = 0;
  Value value = Value::null();
  bool ongoing = false;  // still open in a history being built: `end` is the latest tick seen

  friend bool operator==(const Interval&, const Interval&) = default;
};

// A double as text, the same in state.json and in CSV: the shortest that reads back to the same
// bits, always with a '.' or an exponent: "-17.0", "1e+22". "NaN" for any not-a-number, "Infinity",
// "-Infinity".
void append_double(std::string& out, double number);

}  // namespace polytrace::history
