// SPDX-License-Identifier: Apache-2.0
// SQL over traces by DuckDB, where that is found: the same tables, some of the functions, its own
// dialect. Guarded as SQLite is: it reads the tables of the traces, keeps temporary ones in memory,
// and sees no file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sql/model/question.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

// What of DuckDB is here. Errors: engine_missing, with what is wrong.
struct FoundDuck {
  std::string version;
  std::string file;
};
base::result<FoundDuck> find_duckdb();

// From now on the process gets no more data than it has and about these bytes: what DuckDB makes
// without counting it ends, too.
void limit_data(std::uint64_t bytes);

// One thread at a time; DuckDB has threads of its own.
class DuckDatabase final : public Engine {
 public:
  // Names are as Database has them. Errors: engine_missing; those of DuckDB, which are none that a
  // user can cause.
  static base::result<std::unique_ptr<DuckDatabase>> open(
      const std::vector<std::shared_ptr<const Trace>>& traces, const Limits& limits);
  ~DuckDatabase() override;

  base::result<Ran> run(const Question& question, Answers& answers) override;
  std::string_view explain_words() const override;

 private:
  class Inside;
  explicit DuckDatabase(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace polytrace::sql
