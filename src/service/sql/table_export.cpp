// SPDX-License-Identifier: Apache-2.0
#include "service/sql/table_export.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/codes.hpp"
#include "service/json/parts.hpp"
#include "sql/duck_engine.hpp"

namespace polytrace::service {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& words) {
  std::vector<std::string> all;
  std::string_view rest = words;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    if (const auto word = rest.substr(0, comma); !word.empty()) all.emplace_back(word);
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  return all;
}

// Of a folder only one of such tables: never someone's documents, nor a device.
bool can_go(const sql::TableTarget& target, const std::string& output) {
  std::error_code fault;
  if (!target.is_folder) return fs::is_regular_file(output, fault);
  if (!fs::is_directory(output, fault)) return false;
  const fs::directory_iterator entries(output, fault);
  return !fault && std::all_of(begin(entries), end(entries), [&](const fs::directory_entry& entry) {
    return entry.path().extension() == target.suffix;
  });
}

// What is written before it has its name; it goes with this, unless it got that.
class Draft {
 public:
  Draft(const Input& input, const sql::TableTarget& target, const std::string& output)
      : input_(input),
        target_(target),
        output_(output),
        path_(fmt::format("{}.{}.part", output, getpid())) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    input_.asking().tell_draft({});
  }

  base::result<void> create() const {
    std::error_code fault;
    fs::remove_all(path_, fault);
    input_.asking().begin_finishing();  // it has a name that is to be taken away
    if (!target_.is_folder) return {};
    if (fs::create_directory(path_, fault))
      return input_.asking().tell_draft(path_), base::result<void>();
    return base::fail(base::Code::write_failed, fault.message());
  }
  const std::string& path() const { return path_; }
  base::result<void> commit() const {
    if (!target_.is_folder) flush();
    std::error_code fault;
    if (target_.is_folder) fs::remove_all(output_, fault);
    if (!fault) fs::rename(path_, output_, fault);
    if (fault) return base::fail(base::Code::write_failed, fault.message());
    return {};
  }

 private:
  void flush() const {
    const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    fsync(file);
    close(file);
  }

  const Input& input_;
  const sql::TableTarget& target_;
  const std::string& output_;
  std::string path_;
};

base::result<void> check(const sql::TableTarget& target, const TableExportQuestion& question) {
  if (question.output == "-")
    return base::fail(base::Code::usage, fmt::format("{} is no stream: name a {}", target.name,
                                                     target.is_folder ? "folder" : "file"));
  if (target.needs_duckdb)
    if (const auto found = sql::find_duckdb(); !found) return base::Unexpected(found.error());
  std::error_code fault;
  if (!fs::exists(question.output, fault)) return {};
  if (question.force && can_go(target, question.output)) return {};
  return base::fail(base::Code::output_exists);
}

// A trace that is answered from its index was not opened: the index tells what it is of.
void name_format(Origin& origin, const sql::Trace& trace) {
  if (origin.format != nullptr) return;
  const std::string told = trace.store().facts().format;
  const std::size_t blank = std::min(told.find(' '), told.size());
  origin.format = format::find_format(told.substr(0, blank));
  origin.version = told.substr(std::min(blank + 1, told.size()));
}

}  // namespace

Asked<TableExport> export_tables(const Input& input, const sql::TableTarget& target,
                                 const TableExportQuestion& question) {
  if (auto good = check(target, question); !good) return refuse(good.error(), question.output);
  const InputOptions options = input.options();
  auto traces = open_for_sql({&options, 1}, input.asking());
  if (!traces) return tl::unexpected(traces.error());
  TableExport done{.target = &target, .file = question.output};
  done.reading = std::move(traces->readings.front());
  done.remarks = std::move(traces->remarks);
  const bool wanted = !options.strict || done.reading.passed.is_clean();
  if (!traces->traces.empty()) name_format(done.reading.origin, *traces->traces.front());
  if (done.reading.origin.format == nullptr)
    return refuse({base::Code::not_recognised, {}, {}}, input.name());
  if (traces->traces.empty() || !wanted || keeps_old(done.reading.passed, question.output))
    return done;
  const Draft draft(input, target, question.output);
  if (auto created = draft.create(); !created) return refuse(created.error(), question.output);
  const auto writer = target.make(draft.path());
  auto written = sql::write_tables(
      {traces->traces.front(), split(question.tables), input.asking().stop}, *writer);
  if (!written && input.asking().is_stopped()) {
    done.reading.passed.interrupted = true;
    return done;
  }
  if (!written) {
    const bool is_output = written.error().code == base::Code::write_failed;
    return refuse(written.error(), is_output ? question.output : input.name());
  }
  if (auto committed = draft.commit(); !committed)
    return refuse(committed.error(), question.output);
  done.tables = std::move(*written);
  done.written = true;
  return done;
}

std::string table_export_json(const TableExport& done) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.export/1");
  write_origin(json, done.reading.origin);
  json.key("outputs");
  json.begin_array();
  json.begin_object();
  json.member("file", done.file);
  json.member("target", done.target->name);
  json.member("written", done.written);
  json.member("events_left_out", std::uint64_t{0});  // tables hold what there is
  json.key("left_out");
  json.begin_object();
  json.end_object();
  for (const char* const none : {"cut", "notes"}) {
    json.key(none);
    json.begin_array();
    json.end_array();
  }
  json.key("tables");
  json.begin_array();
  for (const sql::WrittenTable& table : done.tables) {
    json.begin_object();
    json.member("name", table.name);
    json.member("rows", table.rows);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_array();
  write_outcome(json, done.reading.passed);
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
