// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

#include "base/codes.hpp"
#include "service/convert/conversion.hpp"
#include "service/selection/times.hpp"
#include "service/words/numbers.hpp"
#include "transform/merge.hpp"

namespace polytrace::service {
namespace {

// The file's name without folder and endings.
std::string stem(const std::string& file) {
  if (file == "-") return "stdin";
  const std::string name = file.substr(file.find_last_of('/') + 1);
  return name.substr(0, name.find('.', 1));
}

// The stems, each made different from those before it.
std::vector<std::string> labels_of(const std::vector<std::string>& files) {
  std::vector<std::string> labels;
  for (const std::string& file : files) {
    std::string label = stem(file);
    for (int number = 2; std::ranges::find(labels, label) != labels.end(); ++number)
      label = fmt::format("{}#{}", stem(file), number);
    labels.push_back(std::move(label));
  }
  return labels;
}

// By name as it was given, or by place among the inputs, from 1.
base::result<std::size_t> file_meant(const std::string& word,
                                     const std::vector<std::string>& files) {
  const auto same = std::ranges::count(files, word);
  if (same == 1) return static_cast<std::size_t>(std::ranges::find(files, word) - files.begin());
  const std::size_t number = parse_number<std::size_t>(word).value_or(0);
  if (same == 0 && number >= 1 && number <= files.size()) return number - 1;
  return base::fail(base::Code::usage,
                    fmt::format("--offset: \"{}\" is {} of the inputs: give one of them, or its "
                                "number from 1 to {}",
                                word, same == 0 ? "none" : "several", files.size()));
}

base::result<std::vector<base::Duration>> offsets_of(const MergeQuestion& question) {
  std::vector<base::Duration> offsets(question.files.size());
  for (const std::string& word : question.offsets) {
    const std::size_t equals = std::min(word.rfind('='), word.size());
    const auto file = file_meant(word.substr(0, equals), question.files);
    if (!file) return base::Unexpected(file.error());
    const auto shift = parse_shift(word.substr(std::min(equals + 1, word.size())));
    if (!shift) return base::Unexpected(shift.error());
    offsets[*file] = *shift;
  }
  return offsets;
}

struct Inputs {
  std::deque<Input> all;

  Inputs(const MergeQuestion& question, const Asking& asking) {
    InputOptions options = question.reading;
    for (const std::string& file : question.files) {
      options.file = file;
      all.emplace_back(options, asking);
    }
  }
};

Asked<transform::TraceFacts> survey(Input& input) {
  if (auto ready = input.prepare_passes(); !ready) return refuse(ready.error(), input.name());
  auto opened = input.open();
  if (!opened) return refuse(opened.error(), input.name());
  transform::TraceSurvey consumer;
  const Passed passed = pass(input, *opened->reader, consumer);
  if (passed.outcome.error) return refuse(*passed.outcome.error, input.name());
  return consumer.take();
}

Asked<format::Opened> open_all(Inputs& inputs, const MergeQuestion& question,
                               const std::vector<base::Duration>& offsets) {
  std::vector<transform::TraceFacts> facts;
  for (Input& input : inputs.all) {
    auto seen = survey(input);
    if (!seen) return tl::unexpected(seen.error());
    facts.push_back(std::move(*seen));
  }
  const std::vector<transform::Placement> places = transform::place(facts, offsets);
  const std::vector<std::string> labels = labels_of(question.files);
  std::vector<transform::MergeInput> lanes;
  const format::Format* format = nullptr;
  for (std::size_t i = 0; i < inputs.all.size(); ++i) {
    auto opened = inputs.all[i].open();
    if (!opened) return refuse(opened.error(), inputs.all[i].name());
    if (i == 0) format = opened->format;
    lanes.push_back({std::move(opened->reader), labels[i], places[i]});
  }
  return format::Opened{format, std::make_unique<transform::MergedReader>(std::move(lanes))};
}

}  // namespace

Asked<Conversion> merge(const MergeQuestion& question, const TargetOptions& target,
                        const Asking& asking) {
  if (std::ranges::count(question.files, "-") > 1)
    return refuse({base::Code::usage, {}, "two inputs are -"});
  const auto offsets = offsets_of(question);
  if (!offsets) return refuse(offsets.error());
  Inputs inputs(question, asking);
  Change change;
  change.files = question.files;
  change.open = [&] { return open_all(inputs, question, *offsets); };
  InputOptions all = question.reading;
  all.file = fmt::format("{}", fmt::join(question.files, " + "));
  return convert(Input(all, asking), target, change);
}

}  // namespace polytrace::service
