// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/codes.hpp"
#include "exports/target.hpp"
#include "service/convert/export_run.hpp"
#include "slice/slicer.hpp"

namespace polytrace::service {
namespace {

using Form = FlameQuestion::Form;

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

struct OtherProfile {
  analysis::Profile profile;
  Reading reading;
};

// The whole of another trace: times and threads of the request are not its own.
Asked<OtherProfile> read_profile(Input& input, const SelectionOptions& options,
                                 const exports::Request& request) {
  slice::Selection selection;
  selection.show_helpers = request.selection.show_helpers;
  selection.name = request.selection.name;
  if (auto done = subtract(input, options.subtract, selection); !done)
    return refuse(done.error(), input.name());
  auto opened = input.open();
  if (!opened) return refuse(opened.error(), input.name());
  ProfileConsumer consumer(selection, request.weight);
  Reading reading;
  reading.passed = pass(input, *opened->reader, consumer);
  reading.origin = origin_of(input, *opened);
  const auto& fault = reading.passed.outcome.error;
  auto profile = fault ? base::Unexpected(*fault) : consumer.finish();
  if (profile) return OtherProfile{std::move(*profile), std::move(reading)};
  return tl::unexpected(Refusal{profile.error(), input.name(), std::move(reading.passed)});
}

const exports::Target& target_of(Form form) {
  if (form == Form::picture) return exports::flame_picture();
  if (form == Form::folded) return *exports::find_target("folded");
  return form == Form::page ? exports::flame_page() : exports::flame_page_by_thread();
}

std::string file_of(const Input& input, const FlameQuestion& question) {
  if (!question.output.empty()) return question.output;
  if (input.name() == "-") return "-";
  const std::string name = std::filesystem::path(input.name()).filename().string();
  return name + std::string(target_of(question.form).suffix);
}

Asked<Exported> draw_flame(Input& input, const FlameQuestion& question,
                           std::optional<Reading>& before) {
  if (question.form == Form::page_by_thread && !question.base.empty())
    return refuse(base::Error{
        base::Code::usage, {}, "threads of two traces are not compared: leave out --by-thread"});
  auto request = make_request(input, question.selection, question.profile);
  if (!request) return refuse(request.error(), input.name());
  std::optional<analysis::Profile> other;
  if (!question.base.empty()) {
    Input base({.file = question.base}, input.asking());
    auto read = read_profile(base, question.selection, *request);
    if (!read) return tl::unexpected(read.error());
    before = std::move(read->reading);
    other = std::move(read->profile);
    request->weight = other->weight;
  }
  ExportRun run(input, *request);
  if (other) run.compare_with(std::move(*other), question.exact_names);
  const std::string file = file_of(input, question);
  if (auto opened = run.add(target_of(question.form), file, question.force); !opened)
    return refuse(opened.error(), file);
  return run.run();
}

}  // namespace

FlameAnswer export_flame(Input& input, const FlameQuestion& question) {
  FlameAnswer answer;
  answer.made = draw_flame(input, question, answer.before);
  return answer;
}

}  // namespace polytrace::service
