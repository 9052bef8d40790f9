// SPDX-License-Identifier: Apache-2.0
#include "cli/sql/sql_prompt.hpp"

#include <editline/readline.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/codes.hpp"
#include "cli/frame/signals.hpp"
#include "cli/sql/sql_dots.hpp"
#include "service/words/numbers.hpp"
#include "store/file/cache_folder.hpp"

namespace polytrace::cli {
namespace {

constexpr std::string_view kDotWords[]{".engine", ".examples", ".format", ".functions",
                                       ".help",   ".limit",    ".param",  ".quit",
                                       ".read",   ".schema",   ".tables", ".timer"};
constexpr std::string_view kSqlWords[]{"SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY",
                                       "LIMIT",  "JOIN", "USING", "HAVING",   "DESC",
                                       "NULL",   "AND",  "IN"};
constexpr std::string_view kHelp =
    "A statement ends with a semicolon. Tab completes words, and methods' names behind a '.\n"
    "  .tables             all tables\n"
    "  .schema TABLE       its columns, with units and meanings\n"
    "  .functions          functions, of one value and of tables\n"
    "  .examples [WORD]    queries to begin with\n"
    "  .engine ENGINE      auto, sqlite or duckdb\n"
    "  .format FORM        table, csv, tsv, json, jsonl or md\n"
    "  .limit ROWS         of an answer; 0: all\n"
    "  .param NAME VALUE   of :NAME in queries\n"
    "  .timer on|off       how long answers take\n"
    "  .read FILE          the statements of a file\n"
    "  .quit               or Ctrl-D\n";

// The library calls functions without an argument of ours.
struct Words {
  std::vector<std::string> all;
  std::vector<std::string> names;  // of methods
  std::size_t next = 0;
};
Words& words() {
  static Words all;
  return all;
}

char* next_word(const char* text, int state) {
  Words& own = words();
  if (state == 0) own.next = 0;
  const bool quoted = *text == '\'';
  const auto& list = quoted ? own.names : own.all;
  const std::string_view begun(text);
  for (; own.next < list.size(); ++own.next) {
    const std::string& word = list[own.next];
    if (word.size() < begun.size() || strncasecmp(word.c_str(), text, begun.size()) != 0) continue;
    ++own.next;
    return strdup(word.c_str());
  }
  return nullptr;
}

char** complete(const char* text, int, int) { return rl_completion_matches(text, next_word); }

void learn_words(const sql::Database& database, const service::SqlTraces& traces) {
  Words& own = words();
  own = {};
  own.all.assign(std::begin(kSqlWords), std::end(kSqlWords));
  own.all.insert(own.all.end(), std::begin(kDotWords), std::end(kDotWords));
  for (const auto& described : {database.tables(), database.functions()})
    for (const sql::Described& one : described) {
      own.all.push_back(one.name);
      for (const sql::Column& column : one.columns) own.all.emplace_back(column.name);
    }
  std::ranges::sort(own.all);
  own.all.erase(std::ranges::unique(own.all).begin(), own.all.end());
  for (const auto& trace : traces.traces)
    for (const sql::MethodName& method : trace->methods())
      own.names.push_back("'" + method.name + "'");
}

// Only its owner may read what was asked.
std::string history_file() {
  const std::string cache = store::cache_root();
  if (cache.empty()) return {};
  const std::string file = cache + "/sql_history";
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return {};
  close(fd);
  return file;
}

class Prompt {
 public:
  Prompt(Session& session, SqlEngines& engines, const service::SqlTraces& traces,
         SqlOptions& options)
      : session_(session), engines_(engines), traces_(traces), options_(options) {}

  int run() {
    begin();
    std::string statement;
    while (!done_) {
      char* const got = readline(statement.empty() ? "sql> " : "...> ");
      if (got == nullptr) break;
      const std::string line(got);
      std::free(got);
      if (!line.empty()) ::add_history(line.c_str());
      take(line, statement);
      session_.out().flush();
    }
    session_.out().text() += done_ ? "" : "\n";
    if (!history_.empty()) write_history(history_.c_str());
    return 0;
  }

 private:
  void begin() {
    rl_readline_name = const_cast<char*>("polytrace");
    rl_attempted_completion_function = complete;
    using_history();
    stifle_history(1000);
    history_ = history_file();
    if (!history_.empty()) read_history(history_.c_str());
    learn_words(engines_.described(), traces_);
    session_.remark(".help lists what else there is than SQL; .quit ends");
    session_.out().flush();
  }

  void take(const std::string& line, std::string& statement) {
    if (statement.empty() && line.starts_with('.')) return take_dots(line);
    statement += (statement.empty() ? "" : "\n") + line;
    if (statement.find_first_not_of(" \n\t") == statement.npos) return statement.clear();
    if (!sql::is_complete(statement)) return;
    ask(statement);
    statement.clear();
  }

  void ask(const std::string& query) {
    forget_stop();
    static_cast<void>(options_.ask(
        session_, session_.out().text(), [this] { return session_.out().drain(); }, engines_,
        traces_, query));
    forget_stop();
  }

  void take_dots(const std::string& line) {
    const std::size_t blank = line.find(' ');
    const std::string word = line.substr(0, blank);
    const std::string rest = blank == line.npos ? std::string() : line.substr(blank + 1);
    if (word == ".quit" || word == ".exit") done_ = true;
    else if (word == ".help") session_.out().text() += kHelp;
    else if (word == ".timer") options_.set_timer(rest != "off");
    else if (word == ".format") set_format(rest);
    else if (word == ".engine") set_engine(rest);
    else if (word == ".limit") set_limit(rest);
    else if (word == ".param") set_parameter(rest);
    else if (word == ".read") read(rest);
    else static_cast<void>(run_dots(session_, engines_.described(), line));
  }
  void set_format(const std::string& rest) {
    const auto forms = sql_form_words();
    if (std::ranges::find(forms, rest) == forms.end() || is_file_form(sql_form(rest)))
      session_.fail_usage(".format table, csv, tsv, json, jsonl or md");
    else options_.set_form(sql_form(rest));
  }
  void set_engine(const std::string& rest) {
    const auto engines = sql_engine_words();
    if (std::ranges::find(engines, rest) == engines.end())
      session_.fail_usage(".engine auto, sqlite or duckdb");
    else options_.set_engine(sql_engine(rest));
  }
  void set_limit(const std::string& rest) {
    const auto rows = service::parse_number<std::uint64_t>(rest);
    if (rows) options_.set_limit(*rows);
    else session_.fail_usage(".limit ROWS");
  }
  void set_parameter(const std::string& rest) {
    const std::size_t blank = rest.find(' ');
    if (blank == rest.npos) session_.fail_usage(".param NAME VALUE");
    else options_.set_parameter(rest.substr(0, blank), rest.substr(blank + 1));
  }
  void read(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    if (!file) session_.fail({base::Code::open_failed, {}, {}}, name);
    else ask({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
  }

  Session& session_;
  SqlEngines& engines_;
  const service::SqlTraces& traces_;
  SqlOptions& options_;
  std::string history_{};
  bool done_ = false;
};

}  // namespace

int run_prompt(Session& session, SqlEngines& engines, const service::SqlTraces& traces,
               SqlOptions& options) {
  return Prompt(session, engines, traces, options).run();
}

}  // namespace polytrace::cli
