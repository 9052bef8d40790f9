// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/codes.hpp"
#include "base/io/sink.hpp"
#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/frame/signals.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/sql/sql_dots.hpp"
#include "cli/sql/sql_options.hpp"
#include "cli/sql/sql_prompt.hpp"
#include "service/sql/sql_traces.hpp"

namespace polytrace::cli {
namespace {

std::string content_of(std::istream& from) {
  return {std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>()};
}

class Sql final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "sql",
        "[OPTIONS] FILE... [QUERY | @SCRIPT | -]",
        "Threads, methods, calls, allocations, pauses and whatever else is in a trace are tables, "
        "and so are figures of any stretch of time: methods(t0, t1, threads), call_tree(...), "
        "allocations(...). Without a query there is a prompt with "
        "history and completion, or it is read from standard input where that is no terminal. "
        ".schema lists the tables, "
        ".schema TABLE their columns, .functions the functions, .examples queries to begin "
        "with.\n\n"
        "The first query makes the trace's index, which later ones use. Queries read: they change "
        "nothing but temporary tables, and end when their time is over.",
        {
            {"where did time go?",
             "polytrace sql app.mlpd \"SELECT name, self_ns FROM method_total ORDER BY 2 DESC\""},
            {"which tables are there?", "polytrace sql app.mlpd .schema"},
            {"a script, as CSV", "polytrace sql --format csv app.mlpd @busiest.sql"},
        },
        {0, 1, 2, 3, 4, 6, 130},
        "docs/sql.md, docs/cookbook.md, docs/index.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    list.add("FILE", words_, "The traces, gzip and zstd unpacked; then the query")
        .takes("FILE...")
        .required()
        .in("Input");
    add_index_place(list, index_.folder);
    add_index_options(list, index_, Traces::several);
    options_.add_to(list);
  }
  int run(Session& session) override {
    if (const auto parsed = options_.parse(session.common.json); !parsed)
      return session.fail(parsed.error());
    if (auto split = split_words(); !split) return session.fail(split.error());
    if (!index_.folder.empty() && files_.size() > 1)
      return session.fail_usage("--index is the index of one FILE");
    auto traces = service::open_for_sql(inputs(), session.asking());
    if (!traces) return session.refuse(traces.error());
    int code = 0;
    for (const service::Reading& reading : traces->readings) {
      tell_notices(session, reading);
      code = std::max(code, conclude(session, reading));
    }
    for (const base::Notice& remark : traces->remarks) session.detail(notice_text(remark));
    if (traces->interrupted) return code;
    auto engines = SqlEngines::open(*traces, options_.limits());
    if (!engines) return session.fail(engines.error());
    return std::max(code, answer(session, **engines, *traces));
  }

 private:
  static bool is_file(const std::string& word) {
    std::error_code fault;
    return word != "-" && std::filesystem::exists(word, fault);
  }

  // The last word is the query, if it is none of the files.
  base::result<void> split_words() {
    files_ = words_;
    if (files_.size() < 2 || is_file(files_.back())) return read_input();
    query_ = files_.back();
    files_.pop_back();
    if (query_ == "-") return query_.clear(), read_input();
    if (!query_.starts_with('@')) return {};
    std::ifstream file(query_.substr(1), std::ios::binary);
    if (!file) return base::fail(base::Code::open_failed, query_.substr(1));
    query_ = content_of(file);
    return {};
  }
  base::result<void> read_input() {
    if (files_.size() == 1 && files_.front() == "-")
      return base::fail(base::Code::usage, "a trace on standard input needs a query");
    if (isatty(STDIN_FILENO) == 1) return is_prompt_ = true, base::result<void>();
    query_ = content_of(std::cin);
    return {};
  }
  std::vector<service::InputOptions> inputs() const {
    std::vector<service::InputOptions> all;
    for (const std::string& file : files_) all.push_back({.file = file, .index = index_});
    return all;
  }

  int answer(Session& session, SqlEngines& engines, const service::SqlTraces& traces) {
    if (is_file_form(options_.form())) {
      if (!is_prompt_ && !query_.starts_with('.')) return options_.write(session, engines, query_);
      return session.fail_usage("arrow and parquet are forms of the answer to a query");
    }
    if (is_prompt_) return run_prompt(session, engines, traces, options_);
    if (query_.starts_with('.')) return run_dots(session, engines.described(), query_);
    return ask(session, engines, traces);
  }
  int ask(Session& session, SqlEngines& engines, const service::SqlTraces& traces) {
    if (options_.output().empty() || options_.output() == "-")
      return options_.ask(
          session, session.out().text(), [&] { return session.out().drain(); }, engines, traces,
          query_);
    auto sink = base::create_sink(options_.output(), options_.force());
    if (!sink) return session.fail(sink.error(), options_.output());
    std::string text;
    const auto write = [&] {
      const bool good = (*sink)->write(std::as_bytes(std::span(text))).has_value();
      text.clear();
      return good;
    };
    const int code = options_.ask(
        session, text, [&] { return text.size() < kMuch || write(); }, engines, traces, query_);
    if (code != 0) return code;
    if (!write()) return session.fail({base::Code::write_failed, {}, {}}, options_.output());
    if (auto done = (*sink)->commit(); !done) return session.fail(done.error(), options_.output());
    return 0;
  }

  static constexpr std::size_t kMuch = std::size_t{256} * 1024;
  std::vector<std::string> words_;
  std::vector<std::string> files_{};
  std::string query_{};
  bool is_prompt_ = false;
  service::IndexOptions index_;
  SqlOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_sql() { return std::make_unique<Sql>(); }

}  // namespace polytrace::cli
