// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/scalars.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <new>
#include <optional>

#include "base/text/figure_text.hpp"
#include "sql/model/meeting.hpp"
#include "sql/sqlite/patterns.hpp"
#include "sql/trace/rows.hpp"

namespace polytrace::sql {
namespace {

using Arguments = sqlite3_value**;

void fail(sqlite3_context* to, std::string_view why) {
  sqlite3_result_error(to, why.data(), static_cast<int>(why.size()));
}

bool any_null(int count, Arguments values) {
  for (int i = 0; i < count; ++i)
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return true;
  return false;
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

void ns(sqlite3_context* to, int, Arguments values) {
  if (sqlite3_value_type(values[0]) != SQLITE_TEXT) return sqlite3_result_value(to, values[0]);
  const auto parsed = nanoseconds_of(value_of(values[0]).text);
  if (!parsed) return fail(to, "ns() takes a number and ns, us, ms, s, min or h: ns('1.5ms')");
  sqlite3_result_int64(to, *parsed);
}

void fmt_ns(sqlite3_context* to, int count, Arguments values) {
  if (any_null(count, values)) return;
  give(to, Value::of(base::duration_text(std::int64_t{sqlite3_value_int64(values[0])})));
}

void fmt_bytes(sqlite3_context* to, int count, Arguments values) {
  if (any_null(count, values)) return;
  const std::int64_t bytes = sqlite3_value_int64(values[0]);
  const std::uint64_t size =
      bytes < 0 ? ~static_cast<std::uint64_t>(bytes) + 1 : static_cast<std::uint64_t>(bytes);
  give(to, Value::of((bytes < 0 ? "-" : "") + base::bytes_text(size)));
}

void span(sqlite3_context* to, int, Arguments values) {
  Meeting meeting;
  if (sqlite3_value_type(values[0]) != SQLITE_NULL) meeting.from = sqlite3_value_int64(values[0]);
  if (sqlite3_value_type(values[1]) != SQLITE_NULL) meeting.to = sqlite3_value_int64(values[1]);
  const std::string bytes = bytes_of(meeting);
  sqlite3_result_blob(to, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
}

void overlap(sqlite3_context* to, int count, Arguments values) {
  if (any_null(count, values)) return;
  const auto at = [&](int i) { return std::int64_t{sqlite3_value_int64(values[i])}; };
  const std::int64_t from = std::max(at(0), at(2));
  const std::int64_t until = std::min(end_of(at(0), at(1)), end_of(at(2), at(3)));
  give(to, Value::of(base::elapsed(from, until)));
}

// --- texts -------------------------------------------------------------------------------------

void contains(sqlite3_context* to, int count, Arguments values) {
  if (any_null(count, values)) return;
  sqlite3_result_int(to, find(value_of(values[0]).text, value_of(values[1]).text) ? 1 : 0);
}

void short_name(sqlite3_context* to, int count, Arguments values) {
  if (any_null(count, values)) return;
  sqlite3_value_text(values[0]);
  give(to, Value::of(shortened(value_of(values[0]).text)));
}

void extract_arg(sqlite3_context* to, int, Arguments) { sqlite3_result_null(to); }

// --- of a trace --------------------------------------------------------------------------------

const Trace& trace_of(sqlite3_context* of) {
  return *static_cast<const Trace*>(sqlite3_user_data(of));
}

void trace_start(sqlite3_context* to, int, Arguments) {
  sqlite3_result_int64(to, trace_of(to).start());
}
void trace_end(sqlite3_context* to, int, Arguments) {
  sqlite3_result_int64(to, trace_of(to).end());
}
void trace_dur(sqlite3_context* to, int, Arguments) {
  give(to, Value::of(base::elapsed(trace_of(to).start(), trace_of(to).end())));
}

void wall(sqlite3_context* to, int count, Arguments values) {
  if (any_null(count, values)) return;
  const auto zero = wall_at_zero(trace_of(to).store());
  if (!zero) return;
  const auto at = static_cast<std::uint64_t>(sqlite3_value_int64(values[0]));
  give(to, Value::of(
               base::wall_text(static_cast<std::int64_t>(static_cast<std::uint64_t>(*zero) + at))));
}

void method_id(sqlite3_context* to, int count, Arguments values) {
  if (any_null(count, values)) return;
  const std::string_view name = value_of(values[0]).text;
  const auto& methods = trace_of(to).methods();
  const auto found = std::ranges::find(methods, name, &MethodName::name);
  if (found != methods.end()) sqlite3_result_int64(to, found - methods.begin());
}

void class_id(sqlite3_context* to, int count, Arguments values) {
  if (any_null(count, values)) return;
  const std::string_view name = value_of(values[0]).text;
  const auto& classes = trace_of(to).classes();
  for (std::uint32_t i = 0; i < classes.size(); ++i)
    if (classes[i] == name && trace_of(to).class_of(i) == i) return sqlite3_result_int64(to, i);
}

// Innermost first.
void stack_text(sqlite3_context* to, int count, Arguments values) {
  if (any_null(count, values)) return;
  const Trace& trace = trace_of(to);
  const store::Paths& paths = trace.store().paths();
  const std::int64_t asked = sqlite3_value_int64(values[0]);
  if (asked <= 0 || asked >= paths.size()) return;
  const std::string separator(count > 1 ? value_of(values[1]).text : " < ");
  std::string text;
  for (auto path = static_cast<std::uint32_t>(asked); path != store::kEmptyPath;
       path = paths.parent(path)) {
    if (!text.empty()) text += separator;
    text += trace.path_name(path);
    if (text.size() > std::size_t{64} << 20) return sqlite3_result_error_toobig(to);
  }
  give(to, Value::of(text));
}

using Function = void (*)(sqlite3_context*, int, Arguments);

// Nothing thrown gets into SQLite.
template <Function function>
void safe(sqlite3_context* to, int count, Arguments values) noexcept {
  try {
    function(to, count, values);
  } catch (...) {
    sqlite3_result_error_nomem(to);
  }
}

struct Row {
  const char* name;
  int arguments;
  Function function;
  std::string_view parameters;
  std::string_view meaning;
};
constexpr Row kPlain[]{
    {"ns", 1, safe<ns>, "text", "nanoseconds: ns('1.5ms')"},
    {"fmt_ns", 1, safe<fmt_ns>, "ns", "a duration for people"},
    {"fmt_bytes", 1, safe<fmt_bytes>, "bytes", "a size for people"},
    {"span", 2, safe<span>, "t0, t1", "what intervals are to meet: WHERE meets = span(t0, t1)"},
    {"overlap", 4, safe<overlap>, "ts, dur, ts2, dur2", "ns that two intervals have in common"},
    {"contains", 2, safe<contains>, "text, part", "1 where the part is in the text"},
    {"short_name", 1, safe<short_name>, "name", "a method's without package and parameters"},
    {"extract_arg", 2, safe<extract_arg>, "arg_set_id, key", "always NULL: traces have no args"}};
constexpr Row kOfTraces[]{
    {"trace_start", 0, safe<trace_start>, "", "time of the first event"},
    {"trace_end", 0, safe<trace_end>, "", "time of the last event"},
    {"trace_dur", 0, safe<trace_dur>, "", "ns between them"},
    {"wall", 1, safe<wall>, "ts", "the wall clock at that time, in UTC"},
    {"method_id", 1, safe<method_id>, "name", "number of the method of exactly this name"},
    {"class_id", 1, safe<class_id>, "name", "number of the class of exactly this name"},
    {"stack_text", 1, safe<stack_text>, "path_id", "the methods of a path, innermost first"},
    {"stack_text", 2, safe<stack_text>, "path_id, separator", "the same, put between them"}};

constexpr int kPure = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

template <std::size_t count>
int add_rows(sqlite3* database, const Row (&rows)[count], const std::string& prefix, void* of,
             std::vector<FunctionInfo>& added) {
  for (const Row& row : rows) {
    const std::string name = prefix + row.name;
    const int done = sqlite3_create_function_v2(database, name.c_str(), row.arguments, kPure, of,
                                                row.function, nullptr, nullptr, nullptr);
    if (done != SQLITE_OK) return done;
    added.push_back({name, row.parameters, row.meaning});
  }
  return SQLITE_OK;
}

}  // namespace

int add_scalars(sqlite3* database, Asked& asked, std::vector<FunctionInfo>& added) {
  if (const int done = add_patterns(database, asked); done != SQLITE_OK) return done;
  return add_rows(database, kPlain, {}, nullptr, added);
}

int add_trace_scalars(sqlite3* database, const Trace& trace, const std::string& prefix,
                      std::vector<FunctionInfo>& added) {
  return add_rows(database, kOfTraces, prefix, const_cast<Trace*>(&trace), added);
}

}  // namespace polytrace::sql
