// SPDX-License-Identifier: Apache-2.0
#include "service/states/history_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/codes.hpp"
#include "history/csv/csv_time.hpp"
#include "history/interchange.hpp"
#include "history/repair.hpp"
#include "service/convert/conversion_target.hpp"
#include "service/json/parts.hpp"
#include "service/states/query.hpp"

namespace polytrace::service {
namespace {

using base::Code;

std::uint64_t ticks_per_second(std::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "ms") return 1'000;
  return unit == "us" ? 1'000'000 : 1'000'000'000;
}

base::result<history::ImportOptions> import_options(const ImportQuestion& question,
                                                    const HistoryTarget& target) {
  history::ImportOptions options;
  options.layout = target.layout;
  options.replace = target.replace;
  options.mixed = question.mixed;
  options.ticks_per_second = ticks_per_second(question.tick);
  if (question.end.empty()) return options;
  const auto end = history::parse_csv_time(question.end, options.ticks_per_second);
  if (!end)
    return base::fail(
        Code::usage,
        fmt::format("\"{}\" is no time: try 1500 ticks, 1.5 seconds or 2026-11-21T10:00:00Z",
                    question.end));
  options.end = end->tick;
  return options;
}

base::result<history::ExportOptions> export_options(const history::Facts& facts,
                                                    const RowsQuestion& question) {
  history::ExportOptions options{question.form, facts.start, facts.end};
  for (const auto& [text, tick] :
       {std::pair{&question.from, &options.from}, {&question.to, &options.to}}) {
    if (text->empty()) continue;
    const auto read = tick_of(*text, facts, options.from);
    if (!read) return base::Unexpected(read.error());
    *tick = *read;
  }
  if (options.from <= options.to) return options;
  return base::fail(Code::usage, "--to is before --from");
}

std::string history_in(const std::string& folder) {
  return history::file_in(folder, history::kHistoryFile);
}

}  // namespace

base::result<void> check_target(const HistoryTarget& target) {
  if (auto good = history::refuse_file(target.folder); !good) return good;
  if (target.replace) return {};
  for (const std::string_view file : {history::kHistoryFile, history::kStateFile}) {
    std::error_code fault;
    if (std::filesystem::exists(history::file_in(target.folder, file), fault))
      return base::fail(Code::output_exists, std::string(file));
  }
  return {};
}

const std::string& blamed(const base::Error& error, const std::string& input,
                          const std::string& output) {
  const bool writing = error.code == Code::write_failed || error.code == Code::output_exists;
  return writing ? output : input;
}

Asked<MadeHistory> import_history(const ImportQuestion& question, const HistoryTarget& target) {
  if (auto good = check_target(target); !good) return refuse(good.error(), target.folder);
  const auto options = import_options(question, target);
  if (!options) return refuse(options.error());
  auto made = history::import_bundle(question.file, target.folder, *options);
  if (made) return MadeHistory{made->facts, std::move(made->notices)};
  return refuse(made.error(), blamed(made.error(), question.file, target.folder));
}

Asked<MadeHistory> convert_history(const std::string& path, const HistoryTarget& target) {
  const std::string& folder = target.folder;
  if (auto good = check_target(target); !good) return refuse(good.error(), folder);
  const auto files = history::BundleFiles::find(path);
  if (!files) return refuse(files.error(), path);
  if (auto made = history::make_folder(folder); !made) return refuse(made.error(), folder);
  auto converted = history::convert(files->path(history::kHistoryFile), history_in(folder),
                                    target.layout, target.replace);
  if (!converted) {
    const base::Error& error = converted.error();
    const std::string& whose = blamed(error, path, folder);
    return refuse(whose == path ? files->explain(error, history::kHistoryFile) : error, whose);
  }
  converted->merge(files->notices());
  const auto opened = history::renew_bundle(folder, history::load_notes(*files));
  if (!opened) return refuse(opened.error(), folder);
  return MadeHistory{opened->facts(), std::move(*converted)};
}

Asked<MadeHistory> repair_history(const std::string& folder) {
  if (auto good = history::refuse_file(folder); !good) return refuse(good.error(), folder);
  auto repaired = history::repair(history_in(folder));
  if (!repaired) return refuse(repaired.error(), folder);
  const auto opened = history::renew_bundle(folder, history::load_notes(folder));
  if (!opened) return refuse(opened.error(), folder);
  MadeHistory made{opened->facts(), std::move(*repaired)};
  const auto checked = check_history({.path = folder});
  if (!checked) return refuse(checked.error(), folder);
  made.is_whole = checked->whole;
  for (const base::Notice& notice : checked->notices.sorted())
    if (made.notices.find(notice.code) == nullptr)
      made.notices.add(notice.code, notice.first, 0, notice.detail);
  if (const auto& error = checked->error; error)
    made.notices.add(error->code, error->place, 0, error->detail);
  return made;
}

Asked<std::uint64_t> export_rows(const OpenHistory& opened, const RowsQuestion& question) {
  const auto options = export_options(opened.history.facts(), question);
  if (!options) return refuse(options.error());
  const std::string& path = opened.source.path;
  TargetOptions target;
  target.output = question.output;
  target.force = question.replace;
  auto sink = open_target(target, path);
  if (!sink) return refuse(sink.error(), question.output);
  const auto left_out = history::export_rows(opened.history, **sink, *options);
  if (!left_out) return refuse(left_out.error(), blamed(left_out.error(), path, question.output));
  if (auto done = (*sink)->commit(); !done) return refuse(done.error(), question.output);
  return *left_out;
}

Asked<void> save_snapshot(const OpenHistory& opened, const SnapshotQuestion& question,
                          const HistoryTarget& target) {
  const history::Facts& facts = opened.history.facts();
  const auto at = tick_of(question.at, facts, facts.start);
  if (!at) return refuse(at.error());
  // Where the JSON files belong to another history, new ones are written.
  const history::BundleFiles* const files = opened.source.mixed ? nullptr : &opened.files;
  const auto saved = history::save_snapshot(opened.history, *at, target.folder,
                                            {question.with_intervals, target.replace, files});
  if (!saved) return refuse(saved.error(), target.folder);
  return {};
}

std::string history_made_json(const std::string& folder, const MadeHistory& made) {
  std::string out;
  const history::Facts& facts = made.facts;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.history.made/1");
  json.member("output", folder);
  json.member("id", history::to_text(facts.id));
  json.member("layout", name_of(facts.layout));
  json.member("timelines", facts.keys);
  json.member("states", facts.intervals);
  json.member("start", facts.start);
  json.member("end", facts.end);
  json.key("notices");
  write_notices(json, made.notices.sorted());
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
