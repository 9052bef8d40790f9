// SPDX-License-Identifier: Apache-2.0
// What the parts of a connection share. Only this room sees SQLite.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <optional>

#include "base/result.hpp"
#include "sql/model/value.hpp"

namespace polytrace::sql {

// Of the question that is being asked. The stop flag may be set by any thread, the rest belongs to
// the one that asks.
struct Asked {
  std::atomic<bool> stop{false};
  std::optional<base::Error> fault{};  // of a table: more than SQLite can say
  std::string refused{};               // what the guard did not allow
  std::uint64_t rows = 0;              // that tables gave

  void begin() {
    stop = false;
    fault.reset();
    refused.clear();
    rows = 0;
  }
};

// Of one statement; gone with it.
class Statement {
 public:
  Statement() = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(own_); }
  sqlite3_stmt** place() { return &own_; }
  sqlite3_stmt* get() const { return own_; }

 private:
  sqlite3_stmt* own_ = nullptr;
};

// A value as tables have it; a blob's bytes are its text. Lives as long as SQLite's.
inline Value value_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: return Value::of(std::int64_t{sqlite3_value_int64(value)});
    case SQLITE_FLOAT: return Value::of(sqlite3_value_double(value));
    case SQLITE_NULL: return {};
    default: break;
  }
  const auto* const bytes = static_cast<const char*>(sqlite3_value_blob(value));
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  return Value::of(std::string_view(bytes == nullptr ? "" : bytes, size));
}

inline void give(sqlite3_context* to, const Value& value) {
  switch (value.type) {
    case Type::null: return sqlite3_result_null(to);
    case Type::integer: return sqlite3_result_int64(to, value.integer);
    case Type::real: return sqlite3_result_double(to, value.real);
    case Type::text: break;
  }
  // What is TRANSIENT is copied.
  sqlite3_result_text64(to, value.text.data(), value.text.size(),
                        value.lasts ? SQLITE_STATIC : SQLITE_TRANSIENT, SQLITE_UTF8);
}

}  // namespace polytrace::sql
