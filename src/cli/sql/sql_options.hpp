// SPDX-License-Identifier: Apache-2.0
// The options of `sql`, and a question asked as they say.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "cli/frame/session.hpp"
#include "cli/sql/sql_engines.hpp"
#include "cli/sql/sql_view.hpp"
#include "sql/files/answer_file.hpp"

namespace polytrace::cli {

class SqlOptions {
 public:
  void add_to(OptionList& list);
  // Once, behind the command line. Errors: usage.
  base::result<void> parse(bool json);

  const sql::Limits& limits() const { return limits_; }
  const std::string& output() const { return output_; }
  SqlForm form() const { return form_; }
  bool force() const { return force_; }

  // Changed by the prompt.
  void set_form(SqlForm form) { form_ = form; }
  void set_limit(std::uint64_t rows) { limit_ = rows; }
  void set_timer(bool on) { time_ = on; }
  bool has_timer() const { return time_; }
  void set_engine(SqlEngine engine) { engine_ = engine; }
  void set_parameter(const std::string& name, const std::string& value);

  // Answers go to `text`, which `drain` empties now and then. Tells faults; returns the exit code.
  int ask(Session& session, std::string& text, const std::function<bool()>& drain,
          SqlEngines& engines, const service::SqlTraces& traces, const std::string& query) const;
  // The same with a form of bytes: into the file that the options name, else to standard output.
  int write(Session& session, SqlEngines& engines, const std::string& query) const;

 private:
  static constexpr std::uint64_t kRowsForPeople = 1000;
  base::result<void> parse_limits();
  base::result<void> parse_parameters();
  std::uint64_t limit() const;
  base::result<std::unique_ptr<sql::TableWriter>> writer(const std::string& path) const;
  base::result<sql::Ran> write_answer(sql::Engine& engine, const std::string& query,
                                      sql::AnswerFile& to) const;
  void tell_run(Session& session, const sql::Ran& ran, std::uint64_t rows,
                std::chrono::steady_clock::duration took) const;

  std::string format_ = "table";
  std::string output_;
  bool force_ = false;
  std::string rows_;
  std::string engine_word_ = "auto";
  std::string timeout_ = "60s";
  std::string memory_ = "1G";
  std::vector<std::string> params_;
  bool explain_ = false;
  bool time_ = false;
  bool read_only_ = false;

  SqlForm form_ = SqlForm::table;
  SqlEngine engine_ = SqlEngine::automatic;
  std::optional<std::uint64_t> limit_{};
  sql::Limits limits_{};
  std::vector<sql::Parameter> parameters_{};
};

}  // namespace polytrace::cli
