// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/printf.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "sql/sqlite/guard.hpp"

namespace polytrace::sql {
namespace {

using PrintfValues = std::span<sqlite3_value*>;

// How long, at least, what a format makes of its values is. Reads as much as SQLite would.
class LeastLength {
 public:
  LeastLength(std::string_view format, PrintfValues values) : rest_(format), values_(values) {}

  std::uint64_t count() {
    std::uint64_t length = 0;
    for (std::size_t at = rest_.find('%'); at != rest_.npos; at = rest_.find('%')) {
      rest_.remove_prefix(at + 1);
      length += directive();
    }
    return length;
  }

 private:
  std::uint64_t directive() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of("-+ #!0,"), rest_.size()));
    const std::uint64_t width = number();
    const std::uint64_t precision = take('.') ? number() : 0;
    while (take('l')) {
    }
    if (take('n')) return 0;
    if (take('%')) return width;
    const bool repeats = take('c');
    take_value();
    return repeats ? std::max(width, precision) : width;
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::uint64_t number() {
    if (take('*')) {
      sqlite3_value* const value = take_value();
      const int told = value == nullptr ? 0 : static_cast<int>(sqlite3_value_int64(value));
      return static_cast<std::uint64_t>(std::abs(std::int64_t{told}));
    }
    std::uint32_t number = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      number = number * 10 + static_cast<std::uint32_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return number & 0x7fffffffU;
  }
  sqlite3_value* take_value() {
    if (values_.empty()) return nullptr;
    sqlite3_value* const value = values_.front();
    values_ = values_.subspan(1);
    return value;
  }

  std::string_view rest_;
  PrintfValues values_;
};

// SQLite's own, by a connection that has nothing else: on one where a function has its name, it
// cannot be called.
class Printf {
 public:
  explicit Printf(const Asked& asked) : asked_(asked) {}
  Printf(const Printf&) = delete;
  Printf& operator=(const Printf&) = delete;
  ~Printf() {
    statements_.clear();
    sqlite3_close_v2(database_);
  }

  int open() {
    const int done = sqlite3_open_v2(":memory:", &database_, SQLITE_OPEN_READWRITE, nullptr);
    if (done == SQLITE_OK) Guard::set_limits(database_);
    return done;
  }

  void answer(sqlite3_context* to, PrintfValues values) {
    if (asked_.stop) return sqlite3_result_error_code(to, SQLITE_INTERRUPT);
    if (is_too_long(values)) return sqlite3_result_error_toobig(to);
    sqlite3_stmt* const statement = find(values.size());
    if (statement == nullptr) return sqlite3_result_error_nomem(to);
    int place = 0;
    for (sqlite3_value* const value : values) sqlite3_bind_value(statement, ++place, value);
    if (sqlite3_step(statement) == SQLITE_ROW)
      sqlite3_result_value(to, sqlite3_column_value(statement, 0));
    else sqlite3_result_error_code(to, sqlite3_errcode(database_));
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }

 private:
  static bool is_too_long(PrintfValues values) {
    if (values.empty()) return false;
    const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
    return text != nullptr && LeastLength(text, values.subspan(1)).count() > kLongestText;
  }
  // The statement for so many values; null where memory is short.
  sqlite3_stmt* find(std::size_t count) {
    Statement& statement = statements_[count];
    if (statement.get() != nullptr) return statement.get();
    std::string query = "SELECT printf(";
    for (std::size_t i = 0; i < count; ++i) query += i == 0 ? "?" : ",?";
    query += ')';
    sqlite3_prepare_v2(database_, query.c_str(), -1, statement.place(), nullptr);
    return statement.get();
  }

  const Asked& asked_;
  sqlite3* database_ = nullptr;
  std::map<std::size_t, Statement> statements_{};
};

void answer_printf(sqlite3_context* to, int count, sqlite3_value** values) noexcept {
  try {
    static_cast<Printf*>(sqlite3_user_data(to))
        ->answer(to, {values, static_cast<std::size_t>(count)});
  } catch (...) {
    sqlite3_result_error_nomem(to);
  }
}

}  // namespace

int add_printf(sqlite3* database, Asked& asked) {
  for (const char* name : {"printf", "format"}) {
    auto own = std::make_unique<Printf>(asked);
    int done = own->open();
    if (done != SQLITE_OK) return done;
    done = sqlite3_create_function_v2(
        database, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, own.release(),
        answer_printf, nullptr, nullptr, [](void* printf) { delete static_cast<Printf*>(printf); });
    if (done != SQLITE_OK) return done;
  }
  return SQLITE_OK;
}

}  // namespace polytrace::sql
