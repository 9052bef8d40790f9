// SPDX-License-Identifier: Apache-2.0
#include "sql/functions/scalars.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "sql/model/meeting.hpp"
#include "sql/trace/rows.hpp"

namespace polytrace::sql {
namespace {

using Answer = base::result<Value>;

Value given(ScalarCall& call, std::string text) {
  call.text = std::move(text);
  return Value::of(std::string_view(call.text));
}

// --- times and sizes ---------------------------------------------------------------------------

struct UnitRow {
  std::string_view word;
  double ns;
};
constexpr UnitRow kUnits[]{{"ns", 1},  {"us", 1e3}, {"µs", 1e3},   {"ms", 1e6},
                           {"s", 1e9}, {"m", 6e10}, {"min", 6e10}, {"h", 3.6e12}};

std::optional<std::int64_t> nanoseconds_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || text.starts_with('-')) return {};
  std::string_view unit(behind, static_cast<std::size_t>(end - behind));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const UnitRow& row : kUnits) {
    const double ns = number * row.ns;
    if (row.word == unit && ns < 9.2e18)
      return static_cast<std::int64_t>(negative ? -ns - 0.5 : ns + 0.5);
  }
  return {};
}

Answer ns(ScalarCall& call) {
  if (call.values[0].type != Type::text) return call.values[0];
  const auto parsed = nanoseconds_of(call.values[0].text);
  if (parsed) return Value::of(*parsed);
  return base::fail(base::Code::query_wrong,
                    "ns() takes a number and ns, us, ms, s, min or h: ns('1.5ms')");
}

Answer fmt_ns(ScalarCall& call) { return given(call, base::duration_text(call.values[0].integer)); }

Answer fmt_bytes(ScalarCall& call) {
  const std::int64_t bytes = call.values[0].integer;
  const std::uint64_t size =
      bytes < 0 ? ~static_cast<std::uint64_t>(bytes) + 1 : static_cast<std::uint64_t>(bytes);
  return given(call, (bytes < 0 ? "-" : "") + base::bytes_text(size));
}

Answer overlap(ScalarCall& call) {
  const auto at = [&](std::size_t i) { return call.values[i].integer; };
  const std::int64_t from = std::max(at(0), at(2));
  const std::int64_t until = std::min(end_of(at(0), at(1)), end_of(at(2), at(3)));
  return Value::of(base::elapsed(from, until));
}

// --- texts -------------------------------------------------------------------------------------

Answer short_name(ScalarCall& call) { return given(call, shortened(call.values[0].text)); }

Answer extract_arg(ScalarCall&) { return Value(); }

// --- of a trace --------------------------------------------------------------------------------

Answer trace_start(ScalarCall& call) { return Value::of(std::int64_t{call.trace->start()}); }
Answer trace_end(ScalarCall& call) { return Value::of(std::int64_t{call.trace->end()}); }
Answer trace_dur(ScalarCall& call) {
  return Value::of(base::elapsed(call.trace->start(), call.trace->end()));
}

Answer wall(ScalarCall& call) {
  const auto zero = wall_at_zero(call.trace->store());
  if (!zero) return Value();
  const auto at = static_cast<std::uint64_t>(call.values[0].integer);
  return given(call,
               base::wall_text(static_cast<std::int64_t>(static_cast<std::uint64_t>(*zero) + at)));
}

Answer method_id(ScalarCall& call) {
  const auto& methods = call.trace->methods();
  const auto found = std::ranges::find(methods, call.values[0].text, &MethodName::name);
  return found == methods.end() ? Value() : Value::of(std::int64_t{found - methods.begin()});
}

Answer class_id(ScalarCall& call) {
  const auto& classes = call.trace->classes();
  for (std::uint32_t i = 0; i < classes.size(); ++i)
    if (classes[i] == call.values[0].text && call.trace->class_of(i) == i) return Value::of(i);
  return Value();
}

// Innermost first.
Answer stack_text(ScalarCall& call) {
  const store::Paths& paths = call.trace->store().paths();
  const std::int64_t asked = call.values[0].integer;
  if (asked <= 0 || asked >= paths.size()) return Value();
  const std::string separator(call.values.size() > 1 ? call.values[1].text : " < ");
  std::string text;
  for (auto path = static_cast<std::uint32_t>(asked); path != store::kEmptyPath;
       path = paths.parent(path)) {
    if (!text.empty()) text += separator;
    text += call.trace->path_name(path);
    if (text.size() > kLongestText)
      return base::fail(base::Code::limit_exceeded, "a stack of more than 8 MiB");
  }
  return given(call, std::move(text));
}

constexpr Type kAny[]{Type::null}, kTwoAny[]{Type::null, Type::null}, kWhole[]{Type::integer},
    kFourWhole[]{Type::integer, Type::integer, Type::integer, Type::integer}, kText[]{Type::text},
    kWholeAndText[]{Type::integer, Type::text};

constexpr Scalar kScalars[]{
    {"ns", kAny, Type::integer, ns, false, "text", "nanoseconds: ns('1.5ms')"},
    {"fmt_ns", kWhole, Type::text, fmt_ns, false, "ns", "a duration for people"},
    {"fmt_bytes", kWhole, Type::text, fmt_bytes, false, "bytes", "a size for people"},
    {"overlap", kFourWhole, Type::integer, overlap, false, "ts, dur, ts2, dur2",
     "ns that two intervals have in common"},
    {"short_name", kText, Type::text, short_name, false, "name",
     "a method's without package and parameters"},
    {"extract_arg", kTwoAny, Type::text, extract_arg, false, "arg_set_id, key",
     "always NULL: traces have no args"},
    {"trace_start", {}, Type::integer, trace_start, true, "", "time of the first event"},
    {"trace_end", {}, Type::integer, trace_end, true, "", "time of the last event"},
    {"trace_dur", {}, Type::integer, trace_dur, true, "", "ns between them"},
    {"wall", kWhole, Type::text, wall, true, "ts", "the wall clock at that time, in UTC"},
    {"method_id", kText, Type::integer, method_id, true, "name",
     "number of the method of exactly this name"},
    {"class_id", kText, Type::integer, class_id, true, "name",
     "number of the class of exactly this name"},
    {"stack_text", kWhole, Type::text, stack_text, true, "path_id",
     "the methods of a path, innermost first"},
    {"stack_text", kWholeAndText, Type::text, stack_text, true, "path_id, separator",
     "the same, put between them"}};

}  // namespace

std::span<const Scalar> scalars() { return kScalars; }

}  // namespace polytrace::sql
