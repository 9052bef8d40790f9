// SPDX-License-Identifier: Apache-2.0
// SQL over traces: a connection of its own for who asks, over indexes that many may share. What a
// query may do and what it may take is limited (docs/sql.md): no query changes anything but
// temporary tables of its connection, and none runs on when its time is over.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql/model/question.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

// Who asks for rows in turns: how one of them ended.
struct Turn {
  bool done = false;  // there are no more rows: the next turn begins anew
  bool interrupted = false;
};

// A table or function as people are told of it.
struct Described {
  std::string name;
  std::string_view parameters{};  // of a function with one value
  std::string_view meaning;
  std::vector<Column> columns{};  // of a table
  bool is_function = false;
};

// "methods(t0, t1, threads)", "ns(text)".
std::string call_text(const Described& function);

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

// SQLite, which is always there.
class Database final : public Engine {
 public:
  // Tables of the n-th trace are t<n>_slice and so on; those of the first also without that.
  // Errors: those of SQLite, which are none that a user can cause.
  static base::result<std::unique_ptr<Database>> open(
      std::vector<std::shared_ptr<const Trace>> traces, const Limits& limits);
  ~Database() override;

  base::result<Ran> run(const Question& question, Answers& answers) override;
  std::string_view explain_words() const override;
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
