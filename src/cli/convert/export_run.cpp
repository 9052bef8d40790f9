// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/export_run.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "cli/convert/conversion_target.hpp"
#include "cli/explain/notices_view.hpp"
#include "cli/frame/errors.hpp"
#include "cli/frame/numbers.hpp"
#include "cli/frame/signals.hpp"
#include "cli/select/subtract.hpp"
#include "cli/show/escape.hpp"

namespace polytrace::cli {
namespace {

using exports::Account;
using exports::Result;

std::string amount_text(std::uint64_t amount, analysis::Unit unit) {
  if (unit == analysis::Unit::bytes) return base::bytes_text(amount);
  if (unit != analysis::Unit::nanoseconds) return base::count_text(amount);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return base::duration_text(static_cast<std::int64_t>(std::min(amount, kMost)));
}

std::uint64_t total_of(const Result& result) {
  return result.weight->is_count ? result.total.count : result.total.weight;
}

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

class ProfileConsumer final : public event::Consumer {
 public:
  ProfileConsumer(const slice::Selection& selection, const analysis::Weight* weight)
      : builder_(selection, {weight, false}) {
    slicer_.shorten_names(exports::kLongestName);
    if (analysis::needs_sites(weight)) slicer_.follow_calls();
  }
  bool consume(const event::Batch& batch) override {
    slicer_.slice(batch, [&](const slice::Slice& slice) { builder_.consume(slice); });
    return true;
  }
  base::result<analysis::Profile> finish() { return builder_.finish(slicer_.names()); }

 private:
  slice::Slicer slicer_;
  analysis::ProfileBuilder builder_;
};

// Of folders only what could be an earlier export: never someone's documents.
bool is_replaceable(const std::string& file) {
  std::error_code fault;
  return !std::filesystem::is_directory(file, fault) || std::filesystem::is_empty(file, fault) ||
         std::filesystem::is_regular_file(file + "/metadata", fault);
}

}  // namespace

base::result<analysis::Profile> read_profile(const Session& session, Input& input,
                                             const SelectionOptions& options,
                                             const exports::Request& request) {
  slice::Selection selection;
  selection.show_helpers = request.selection.show_helpers;
  selection.name = request.selection.name;
  if (auto done = subtract(session, input, options.subtract, selection); !done)
    return base::Unexpected(done.error());
  auto opened = input.open();
  if (!opened) return base::Unexpected(opened.error());
  ProfileConsumer consumer(selection, request.weight);
  const Passed passed = pass(session, input, *opened->reader, consumer);
  tell_notices(session, input.name(), passed.notices);
  if (passed.outcome.error) return base::Unexpected(*passed.outcome.error);
  return consumer.finish();
}

std::vector<std::string> weight_keys() {
  std::vector<std::string> keys;
  for (const analysis::Weight& weight : analysis::weights()) keys.emplace_back(weight.key);
  return keys;
}

void add_profile_options(OptionList& list, ProfileOptions& options) {
  const char* group = "Selection";
  list.add("--weight", options.weight,
           "What profiles add up (default: the first of these that the trace has)")
      .one_of(weight_keys())
      .takes("WEIGHT")
      .in(group);
  list.add("--limit", options.limit,
           "At most so many places in the tree of stacks, or events of a time line, the lightest "
           "or last cut; 0 = all (default: what the readers of the target can open)")
      .takes("COUNT")
      .in(group);
  list.add("--depth", options.depth, "At most so many frames of a stack, 0 = all")
      .takes("COUNT")
      .shows_default()
      .in(group);
  list.add("--show-helpers", options.show_helpers,
           "Show the runtime's own helper frames (wrappers); they count for their callers else")
      .in(group);
}

base::result<exports::Request> make_request(const Session& session, Input& input,
                                            const SelectionOptions& selection,
                                            const ProfileOptions& profile) {
  const auto limit = parse_limit(profile.limit);
  if (!limit) return base::Unexpected(limit.error());
  const auto selected = make_selection(session, input, selection);
  if (!selected) return base::Unexpected(selected.error());
  exports::Request request{*selected, analysis::find_weight(profile.weight), *limit, profile.depth};
  request.selection.show_helpers = profile.show_helpers;
  return request;
}

ExportRun::ExportRun(Session& session, const Input& input, const exports::Request& request)
    : session_(session),
      input_(input),
      exporter_(request, std::filesystem::path(input.name()).filename().string()) {}

base::result<void> ExportRun::add(const exports::Target& target, const std::string& file,
                                  bool force) {
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
  remove_if_killed("");
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
  remove_if_killed(temporary);
  take_time_to_end();  // a folder has its name from the beginning: it has to be taken away
  auto sink = base::create_sink(temporary + "/metadata", false);
  if (!sink) return base::Unexpected(sink.error());
  files_.back().sink = std::move(*sink);
  exporter_.add(target, *files_.back().sink, temporary);
  return {};
}

int ExportRun::run() {
  auto opened = input_.open();
  if (!opened) return session_.fail(opened.error(), input_.name());
  Passed passed = pass(session_, input_, *opened->reader, exporter_);
  if (exporter_.failure()) return session_.fail(*exporter_.failure(), name_of_failed());
  const bool wanted = !input_.options().strict || passed.exit_code() == 0;
  const bool written = wanted && std::ranges::none_of(files_, [&](const File& file) {
                         return keeps_old(passed, file.name);
                       });
  if (auto finished = exporter_.finish(); !finished)
    return session_.fail(finished.error(), finished.error().code == base::Code::usage
                                               ? input_.name()
                                               : name_of_failed());
  for (const exports::Result& result : exporter_.results())
    passed.add_limits(result.account.limits);
  if (written) {
    for (File& file : files_)
      if (auto committed = commit(file); !committed)
        return session_.fail(committed.error(), file.name);
  }
  tell(*opened, passed, written);
  return conclude(session_, input_, passed);
}

const std::string& ExportRun::name_of_failed() const {
  return files_[exporter_.failed_output()].name;
}

base::result<void> ExportRun::commit(File& file) {
  if (auto committed = file.sink->commit(); !committed) return committed;
  if (file.temporary_folder.empty()) return {};
  std::error_code fault;
  std::filesystem::remove_all(file.name, fault);  // --force was given if there is anything
  if (!fault) std::filesystem::rename(file.temporary_folder, file.name, fault);
  if (fault) return base::fail(base::Code::write_failed, fault.message());
  file.temporary_folder.clear();
  remove_if_killed("");
  return {};
}

void ExportRun::tell(const format::Opened& opened, const Passed& passed, bool written) {
  tell_notices(session_, input_.name(), passed.notices);
  if (session_.common.json) {
    const bool is_free = std::ranges::find(files_, "-", &File::name) == files_.end();
    if (is_free) session_.out().text() += as_json(opened, passed, written);
    else print(as_json(opened, passed, written));
    return;
  }
  for (std::size_t i = 0; i < files_.size(); ++i) session_.remark(text_of(i, written));
}

std::string ExportRun::text_of(std::size_t number, bool written) const {
  const Result& result = exporter_.results()[number];
  const auto count = [&](std::uint64_t value) { return base::count_text(value); };
  const std::string& name = files_[number].name;
  std::string text = fmt::format("{}: {}", name == "-" ? "standard output" : show::printable(name),
                                 result.target->name);
  if (result.weight != nullptr)
    text += fmt::format(" of {} {}, {} of {}", result.weight->key,
                        amount_text(total_of(result), result.weight->unit),
                        base::count_text(result.stacks, "stack", "stacks"),
                        base::count_text(result.frames, "frame", "frames"));
  if (!written) text += "; NOT written";
  const Account& account = result.account;
  const std::uint64_t sum = account.events_left_out();
  const bool brief = !session_.common.verbose;
  if (brief && sum != 0)
    text += fmt::format("; {} no place in it", base::count_text(sum, "event has", "events have"));
  if (brief && (sum != 0 || !account.notes.empty())) text += " (-v says more)";
  for (const exports::Cut& cut : account.cuts)
    text += fmt::format("\n  cut by {}: {} {}", cut.cap, count(cut.count), cut.what);
  if (brief) return text;
  if (sum != 0) text += fmt::format("\n  events that have no place in it: {}", count(sum));
  for (std::size_t i = 0; i < account.left_out.size(); ++i)
    if (account.left_out[i] != 0)
      text += fmt::format("\n    {:<24} {}", event::describe(static_cast<event::Kind>(i)).name,
                          count(account.left_out[i]));
  for (const std::string& note : account.notes) text += "\n  " + note;
  return text;
}

std::string ExportRun::as_json(const format::Opened& opened, const Passed& passed,
                               bool written) const {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.export/1");
  write_source(json, input_, *opened.format, opened.reader->version());
  json.key("outputs");
  json.begin_array();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const Result& result = exporter_.results()[i];
    json.begin_object();
    json.member("file", files_[i].name);
    json.member("target", result.target->name);
    json.member("written", written);
    write_sums(json, result);
    write_account(json, result.account);
    json.end_object();
  }
  json.end_array();
  write_outcome(json, passed);
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::cli
