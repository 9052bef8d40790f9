// SPDX-License-Identifier: Apache-2.0
// Plain tables in a database of SQLite, with indexes where people look most.
#include <fmt/format.h>
#include <sqlite3.h>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"
#include "sql/files/table_writer.hpp"

namespace polytrace::sql {
namespace {

constexpr std::string_view kIndexed[]{"ts", "utid"};

std::string in_quotes(std::string_view name) { return fmt::format("\"{}\"", name); }

std::string_view type_word(Type type) {
  if (type == Type::null) return "";
  return type == Type::integer ? "INTEGER" : type == Type::real ? "REAL" : "TEXT";
}

class SqliteWriter final : public TableWriter {
 public:
  explicit SqliteWriter(const std::string& path) {
    state_ =
        sqlite3_open_v2(path.c_str(), &database_,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    // Half a file is thrown away: nothing has to be taken back.
    run("PRAGMA journal_mode = OFF");
    run("PRAGMA synchronous = NORMAL");
    run("PRAGMA locking_mode = EXCLUSIVE");
    run("BEGIN");
  }
  ~SqliteWriter() override {
    sqlite3_finalize(insert_);
    sqlite3_close(database_);
  }

  base::result<void> begin(std::string_view name, std::span<const Column> columns) override {
    name_ = name;
    indexed_.clear();
    std::string made, places;
    for (const Column& column : columns) {
      made += fmt::format("{}{} {}", made.empty() ? "" : ", ", in_quotes(column.name),
                          type_word(column.type));
      places += places.empty() ? "?" : ", ?";
      for (const std::string_view one : kIndexed)
        if (one == column.name) indexed_.emplace_back(one);
    }
    run(fmt::format("CREATE TABLE {} ({})", in_quotes(name), made));
    prepare(fmt::format("INSERT INTO {} VALUES ({})", in_quotes(name), places));
    return outcome();
  }
  base::result<void> row(std::span<const Value> cells) override {
    for (std::size_t i = 0; i < cells.size(); ++i) bind(static_cast<int>(i + 1), cells[i]);
    if (state_ == SQLITE_OK && sqlite3_step(insert_) != SQLITE_DONE)
      state_ = sqlite3_errcode(database_);
    sqlite3_reset(insert_);
    return outcome();
  }
  base::result<void> end() override {
    sqlite3_finalize(insert_);
    insert_ = nullptr;
    for (const std::string& column : indexed_)
      run(fmt::format("CREATE INDEX {} ON {} ({})", in_quotes(name_ + "_by_" + column),
                      in_quotes(name_), in_quotes(column)));
    return outcome();
  }
  base::result<void> finish() override {
    run("COMMIT");
    return outcome();
  }

 private:
  void run(const std::string& statement) {
    if (state_ != SQLITE_OK) return;
    state_ = sqlite3_exec(database_, statement.c_str(), nullptr, nullptr, nullptr);
  }
  void prepare(const std::string& statement) {
    if (state_ != SQLITE_OK) return;
    state_ = sqlite3_prepare_v2(database_, statement.c_str(), -1, &insert_, nullptr);
  }
  // The text lives until the row is written.
  void bind(int place, const Value& cell) {
    if (state_ != SQLITE_OK) return;
    switch (cell.type) {
      case Type::null: state_ = sqlite3_bind_null(insert_, place); break;
      case Type::integer: state_ = sqlite3_bind_int64(insert_, place, cell.integer); break;
      case Type::real: state_ = sqlite3_bind_double(insert_, place, cell.real); break;
      case Type::text: {
        const std::string text = base::repaired(cell.text);
        state_ = sqlite3_bind_text64(insert_, place, text.data(), text.size(), SQLITE_TRANSIENT,
                                     SQLITE_UTF8);
        break;
      }
    }
  }
  base::result<void> outcome() const {
    if (state_ == SQLITE_OK) return {};
    return base::fail(base::Code::write_failed,
                      database_ == nullptr ? sqlite3_errstr(state_) : sqlite3_errmsg(database_));
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  int state_ = SQLITE_OK;  // once it is a fault, nothing more is done
  std::string name_;
  std::vector<std::string> indexed_;
};

}  // namespace

std::unique_ptr<TableWriter> sqlite_writer(const std::string& path) {
  return std::make_unique<SqliteWriter>(path);
}

}  // namespace polytrace::sql
