// SPDX-License-Identifier: Apache-2.0
#include "service/convert/export_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/codes.hpp"
#include "service/convert/conversion_target.hpp"
#include "service/json/parts.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::service {
namespace {

using exports::Account;
using exports::Result;

void write_account(base::JsonWriter& json, const Account& account) {
  json.member("events_left_out", account.events_left_out());
  json.key("left_out");
  json.begin_object();
  for (std::size_t i = 0; i < account.left_out.size(); ++i)
    if (account.left_out[i] != 0)
      json.member(event::describe(static_cast<event::Kind>(i)).name, account.left_out[i]);
  json.end_object();
  json.key("cut");
  json.begin_array();
  for (const exports::Cut& cut : account.cuts) {
    json.begin_object();
    json.member("what", cut.what);
    json.member("count", cut.count);
    json.member("cap", cut.cap);
    json.end_object();
  }
  json.end_array();
  json.key("notes");
  json.begin_array();
  for (const std::string& note : account.notes) json.value(note);
  json.end_array();
}

void write_sums(base::JsonWriter& json, const Result& result) {
  if (result.weight == nullptr) return;
  json.member("weight", result.weight->key);
  json.member("total", total_of(result));
  json.member("stacks", result.stacks);
  json.member("frames", result.frames);
}

// "" is none told. Errors are usage.
base::result<std::optional<std::uint64_t>> parse_limit(const std::string& text) {
  if (text.empty()) return std::optional<std::uint64_t>{};
  if (const auto limit = parse_number<std::uint64_t>(text)) return limit;
  return base::fail(base::Code::usage, fmt::format("--limit: \"{}\" is no count", text));
}

// Of folders only what could be an earlier export: never someone's documents.
bool is_replaceable(const std::string& file) {
  std::error_code fault;
  return !std::filesystem::is_directory(file, fault) || std::filesystem::is_empty(file, fault) ||
         std::filesystem::is_regular_file(file + "/metadata", fault);
}

}  // namespace

std::vector<std::string> weight_keys() {
  std::vector<std::string> keys;
  for (const analysis::Weight& weight : analysis::weights()) keys.emplace_back(weight.key);
  return keys;
}

base::result<exports::Request> make_request(Input& input, const SelectionOptions& selection,
                                            const ProfileOptions& profile) {
  const auto limit = parse_limit(profile.limit);
  if (!limit) return base::Unexpected(limit.error());
  const auto selected = make_selection(input, selection);
  if (!selected) return base::Unexpected(selected.error());
  exports::Request request{*selected, analysis::find_weight(profile.weight), *limit, profile.depth};
  request.selection.show_helpers = profile.show_helpers;
  return request;
}

ExportRun::ExportRun(const Input& input, const exports::Request& request)
    : input_(input), exporter_(request, std::filesystem::path(input.name()).filename().string()) {}

base::result<void> ExportRun::add(const exports::Target& target, const std::string& file,
                                  bool force) {
  has_time_line_ |= target.timeline() != nullptr;
  if (target.is_folder()) return add_folder(target, file, force);
  TargetOptions options;
  options.output = file;
  options.force = force;
  auto sink = open_target(options, input_.name());
  if (!sink) return base::Unexpected(sink.error());
  if (target.is_packed() && !file.ends_with(".gz") && !file.ends_with(".zst"))
    sink = base::gzip_sink(std::move(*sink));
  files_.push_back({file, std::move(*sink)});
  exporter_.add(target, *files_.back().sink);
  return {};
}

ExportRun::~ExportRun() {
  std::error_code ignored;
  for (const File& file : files_)
    if (!file.temporary_folder.empty()) std::filesystem::remove_all(file.temporary_folder, ignored);
  input_.asking().tell_draft({});
}

base::result<void> ExportRun::add_folder(const exports::Target& target, const std::string& file,
                                         bool force) {
  if (file == "-")
    return base::fail(base::Code::usage, fmt::format("{} is a folder, no stream", target.name));
  std::error_code fault;
  if (std::filesystem::exists(file, fault) && !(force && is_replaceable(file)))
    return base::fail(base::Code::output_exists);
  const std::string temporary = fmt::format("{}.{}.part", file, getpid());
  if (!std::filesystem::create_directory(temporary, fault))
    return base::fail(base::Code::write_failed, fault.message());
  files_.push_back({file, nullptr, temporary});
  input_.asking().tell_draft(temporary);
  input_.asking()
      .begin_finishing();  // a folder has its name from the beginning: it has to be taken away
  auto sink = base::create_sink(temporary + "/metadata", false);
  if (!sink) return base::Unexpected(sink.error());
  files_.back().sink = std::move(*sink);
  exporter_.add(target, *files_.back().sink, temporary);
  return {};
}

Asked<Exported> ExportRun::run() {
  // What a name is known from depends on how the trace is cut into batches, and an index cuts it
  // in another way.
  auto opened = has_time_line_ ? input_.open_trace() : input_.open();
  if (!opened) return refuse(opened.error(), input_.name());
  Exported done;
  Passed& passed = done.reading.passed;
  passed = pass(input_, *opened->reader, exporter_);
  done.reading.origin = origin_of(input_, *opened);
  if (exporter_.failure()) return refuse(*exporter_.failure(), name_of_failed());
  const bool wanted = !input_.options().strict || passed.is_clean();
  done.written = wanted && std::ranges::none_of(files_, [&](const File& file) {
                   return keeps_old(passed, file.name);
                 });
  if (auto finished = exporter_.finish(); !finished)
    return refuse(finished.error(),
                  finished.error().code == base::Code::usage ? input_.name() : name_of_failed());
  for (const exports::Result& result : exporter_.results())
    passed.add_limits(result.account.limits);
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (done.written)
      if (auto committed = commit(files_[i]); !committed)
        return refuse(committed.error(), files_[i].name);
    done.outputs.push_back({files_[i].name, exporter_.results()[i]});
  }
  return done;
}

const std::string& ExportRun::name_of_failed() const {
  return files_[exporter_.failed_output()].name;
}

base::result<void> ExportRun::commit(File& file) const {
  if (auto committed = file.sink->commit(); !committed) return committed;
  if (file.temporary_folder.empty()) return {};
  std::error_code fault;
  std::filesystem::remove_all(file.name, fault);  // --force was given if there is anything
  if (!fault) std::filesystem::rename(file.temporary_folder, file.name, fault);
  if (fault) return base::fail(base::Code::write_failed, fault.message());
  file.temporary_folder.clear();
  input_.asking().tell_draft({});
  return {};
}

std::uint64_t total_of(const exports::Result& result) {
  return result.weight->is_count ? result.total.count : result.total.weight;
}

std::string export_json(const Exported& done) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.export/1");
  write_origin(json, done.reading.origin);
  json.key("outputs");
  json.begin_array();
  for (const Exported::Output& output : done.outputs) {
    json.begin_object();
    json.member("file", output.file);
    json.member("target", output.result.target->name);
    json.member("written", done.written);
    write_sums(json, output.result);
    write_account(json, output.result.account);
    json.end_object();
  }
  json.end_array();
  write_outcome(json, done.reading.passed);
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
