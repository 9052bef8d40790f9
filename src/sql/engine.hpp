// SPDX-License-Identifier: Apache-2.0
// SQL over traces: a connection of its own for who asks, over indexes that many may share. What a
// query may do and what it may take is limited (docs/sql.md): no query changes anything but
// temporary tables of its connection, and none runs on when its time is over.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sql/model/table.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

struct Limits {
  std::chrono::milliseconds time{60'000};         // of a question
  std::uint64_t memory = std::uint64_t{1} << 30;  // bytes of all connections of the process
  bool read_only = false;                         // no temporary tables either
};

struct Parameter {
  std::string name;  // without its colon
  std::string value;
};

struct Question {
  std::string_view sql;  // one statement or several
  std::span<const Parameter> parameters{};
  const std::atomic<bool>* stop = nullptr;  // outlives the question
};

struct AnswerColumn {
  std::string name{};
  std::string_view type{};  // "INTEGER", "REAL", "TEXT"; empty: it differs by row
  std::string unit{};       // "ns", "bytes", ...; empty: none, or not known
};

// Gets what statements answer. One thread.
class Answers {
 public:
  virtual ~Answers() = default;
  // A statement with rows begins. Errors end the question.
  virtual base::result<void> begin(const std::vector<AnswerColumn>& columns) = 0;
  // False: no more of them are wanted. Texts live until it returns.
  virtual bool row(std::span<const Value> cells) = 0;
};

// Who asks for rows in turns: how one of them ended.
struct Turn {
  bool done = false;  // there are no more rows: the next turn begins anew
  bool interrupted = false;
};

struct Ran {
  bool interrupted = false;     // by Question::stop
  std::uint64_t rows_read = 0;  // that tables gave
};

// A table or function as people are told of it.
struct Described {
  std::string name;
  std::string_view parameters{};  // of a function with one value
  std::string_view meaning;
  std::vector<Column> columns{};  // of a table
  bool is_function = false;
};

// One statement, whose rows are asked for in turns. The database outlives it; both, and all other
// statements of the database, are for one thread at a time.
class Query {
 public:
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  // Empty: it has no rows.
  const std::vector<AnswerColumn>& columns() const;
  // Before the first turn. By the parameter's name (with or without its sign) or its number from 1
  // on; a text is copied. False: it has no such parameter.
  bool bind(std::string_view parameter, const Value& value);
  // Rows until `answers` wants no more (begin() is not called), or all. What of the time limit
  // turns before have used is gone. Errors: as Database::run(); then the next turn begins anew.
  base::result<Turn> turn(Answers& answers, const std::atomic<bool>* stop);
  // The next turn begins anew.
  void rewind();

 private:
  friend class Database;
  class Inside;
  explicit Query(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

// One thread at a time.
class Database {
 public:
  // Tables of the n-th trace are t<n>_slice and so on; those of the first also without that.
  // Errors: those of SQLite, which are none that a user can cause.
  static base::result<std::unique_ptr<Database>> open(
      std::vector<std::shared_ptr<const Trace>> traces, const Limits& limits);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  // Statements one after the other, until one fails. Errors: the codes of queries (with
  // the place in the text), limit_exceeded; those of the index.
  base::result<Ran> run(const Question& question, Answers& answers);
  // The first statement of the text, of which it takes `used` bytes. Null: only blanks and comments
  // are in it. `limits` hold for this one. Errors: as run().
  base::result<std::unique_ptr<Query>> prepare(std::string_view sql, std::size_t& used,
                                               const Limits& limits);

  // In the order in which people are told of them.
  std::vector<Described> tables() const;
  std::vector<Described> functions() const;

 private:
  friend class Query;
  class Inside;
  explicit Database(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

// The first complete statement in a text ends where? At its semicolon; npos: it goes on.
bool is_complete(const std::string& sql);
// From now on all connections of the process together get no more than that.
void limit_memory(std::uint64_t bytes);

}  // namespace polytrace::sql
