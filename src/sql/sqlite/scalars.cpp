// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/scalars.hpp"

#include <array>
#include <new>

#include "base/codes.hpp"
#include "sql/functions/scalars.hpp"
#include "sql/model/meeting.hpp"
#include "sql/sqlite/patterns.hpp"
#include "sql/sqlite/printf.hpp"

namespace polytrace::sql {
namespace {

using Arguments = sqlite3_value**;
constexpr std::size_t kMostParameters = 4;
constexpr int kPure = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

// One of the house's functions, and the trace that it is asked about.
struct BoundScalar {
  const Scalar& scalar;
  const Trace* trace;
};

// As SQLite makes numbers of texts and texts of numbers.
Value as_type(sqlite3_value* value, Type type) {
  if (type == Type::integer) return Value::of(std::int64_t{sqlite3_value_int64(value)});
  if (type == Type::text) sqlite3_value_text(value);
  return value_of(value);
}

void give_fault(sqlite3_context* to, const base::Error& error) {
  if (error.code == base::Code::limit_exceeded) return sqlite3_result_error_toobig(to);
  sqlite3_result_error(to, error.detail.data(), static_cast<int>(error.detail.size()));
}

void answer_scalar(sqlite3_context* to, int count, Arguments values) {
  const auto& bound = *static_cast<const BoundScalar*>(sqlite3_user_data(to));
  std::array<Value, kMostParameters> cells{};
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return;
    const auto place = static_cast<std::size_t>(i);
    cells[place] = as_type(values[i], bound.scalar.parameters[place]);
  }
  ScalarCall call{{cells.data(), static_cast<std::size_t>(count)}, bound.trace};
  const auto answer = bound.scalar.answer(call);
  answer ? give(to, *answer) : give_fault(to, answer.error());
}

// --- of SQLite alone -----------------------------------------------------------------------------

void span(sqlite3_context* to, int, Arguments values) {
  Meeting meeting;
  if (sqlite3_value_type(values[0]) != SQLITE_NULL) meeting.from = sqlite3_value_int64(values[0]);
  if (sqlite3_value_type(values[1]) != SQLITE_NULL) meeting.to = sqlite3_value_int64(values[1]);
  const std::string bytes = bytes_of(meeting);
  sqlite3_result_blob(to, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
}

void contains(sqlite3_context* to, int, Arguments values) {
  for (int i = 0; i < 2; ++i)
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return;
  sqlite3_result_int(to, find(value_of(values[0]).text, value_of(values[1]).text) ? 1 : 0);
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
constexpr Row kOfSqlite[]{
    {"span", 2, safe<span>, "t0, t1", "what intervals are to meet: WHERE meets = span(t0, t1)"},
    {"contains", 2, safe<contains>, "text, part", "1 where the part is in the text"}};

int add_scalar(sqlite3* database, const Scalar& scalar, const Trace* trace,
               const std::string& name) {
  auto* const bound = new BoundScalar{scalar, trace};
  return sqlite3_create_function_v2(database, name.c_str(),
                                    static_cast<int>(scalar.parameters.size()), kPure, bound,
                                    safe<answer_scalar>, nullptr, nullptr,
                                    [](void* own) { delete static_cast<BoundScalar*>(own); });
}

int add_all(sqlite3* database, const Trace* trace, const std::string& prefix,
            std::vector<FunctionInfo>& added) {
  for (const Scalar& scalar : scalars()) {
    if (scalar.is_of_trace != (trace != nullptr)) continue;
    const std::string name = prefix + scalar.name;
    if (const int done = add_scalar(database, scalar, trace, name); done != SQLITE_OK) return done;
    added.push_back({name, scalar.parameter_words, scalar.meaning});
  }
  return SQLITE_OK;
}

}  // namespace

int add_scalars(sqlite3* database, Asked& asked, std::vector<FunctionInfo>& added) {
  if (const int done = add_patterns(database, asked); done != SQLITE_OK) return done;
  if (const int done = add_printf(database, asked); done != SQLITE_OK) return done;
  if (const int done = add_all(database, nullptr, {}, added); done != SQLITE_OK) return done;
  for (const Row& row : kOfSqlite) {
    const int done = sqlite3_create_function_v2(database, row.name, row.arguments, kPure, nullptr,
                                                row.function, nullptr, nullptr, nullptr);
    if (done != SQLITE_OK) return done;
    added.push_back({row.name, row.parameters, row.meaning});
  }
  return SQLITE_OK;
}

int add_trace_scalars(sqlite3* database, const Trace& trace, const std::string& prefix,
                      std::vector<FunctionInfo>& added) {
  return add_all(database, &trace, prefix, added);
}

}  // namespace polytrace::sql
