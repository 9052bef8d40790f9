// SPDX-License-Identifier: Apache-2.0
#include "service/ask/diff.hpp"

#include <algorithm>

#include "service/json/parts.hpp"

namespace polytrace::service {
namespace {

Asked<Reading> read_run(const DiffQuestion& question, const std::string& file, const Asking& asking,
                        analysis::DiffSide& side) {
  InputOptions options = question.reading;
  options.file = file;
  Input input(std::move(options), asking);
  const auto selection = make_selection(input, question.selection);
  if (!selection) return refuse(selection.error(), input.name());
  auto opened = input.open();
  if (!opened) return refuse(opened.error(), input.name());
  auto run = std::make_unique<analysis::DiffRun>(*selection, question.weight);
  Reading reading;
  reading.passed = pass(input, *opened->reader, *run);
  reading.origin = origin_of(input, *opened);
  run->finish();
  reading.passed.add_limits(run->limits());
  side.push_back(std::move(run));
  return reading;
}

std::vector<analysis::Change> failures_of(const DiffQuestion& question,
                                          const analysis::Difference& difference) {
  std::vector<analysis::Change> out;
  if (!question.fail_over) return out;
  const auto& topics = question.fail_on;
  for (const analysis::Change& change : difference.changes) {
    const bool counts = topics.empty() || std::ranges::find(topics, change.topic) != topics.end();
    if (counts && change.share > *question.fail_over) out.push_back(change);
  }
  return out;
}

void write_side(base::JsonWriter& json, std::string_view key, const std::vector<Reading>& side) {
  json.key(key);
  json.begin_array();
  for (const Reading& reading : side) {
    json.begin_object();
    write_origin(json, reading.origin);
    write_outcome(json, reading.passed);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Asked<DiffAnswer> ask_diff(const DiffQuestion& question, const Asking& asking) {
  struct Side {
    const std::vector<std::string>& files;
    std::vector<Reading>& readings;
    analysis::DiffSide runs{};
  };
  DiffAnswer answer;
  Side before{question.before, answer.before}, after{question.after, answer.after};
  for (Side* side : {&before, &after})
    for (const std::string& file : side->files) {
      auto reading = read_run(question, file, asking, side->runs);
      if (!reading) return tl::unexpected(reading.error());
      side->readings.push_back(std::move(*reading));
    }
  answer.difference = analysis::compare(before.runs, after.runs, question.options);
  answer.options = question.options;
  answer.fail_over = question.fail_over;
  answer.failures = failures_of(question, answer.difference);
  return answer;
}

void write_growths(base::JsonWriter& json, const analysis::Difference& difference) {
  json.key("growths");
  json.begin_array();
  for (const analysis::Change& change : difference.changes) {
    if (change.share <= 0) continue;
    json.begin_object();
    json.member("topic", change.topic);
    json.member("share", change.share);
    json.member("at", change.where);
    json.member("text", change.text);
    json.end_object();
  }
  json.end_array();
  json.member("times_are_judged", difference.times_are_judged);
}

std::string diff_json(const DiffAnswer& answer) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.diff/2");
  write_side(json, "before", answer.before);
  write_side(json, "after", answer.after);
  json.member("scale", answer.difference.scale);
  json.member("exact_names", answer.options.exact_names);
  json.member("threshold", answer.options.threshold);
  write_growths(json, answer.difference);
  json.key("failed");
  if (answer.fail_over) json.value(!answer.failures.empty());
  else json.null();
  write_tables(json, answer.difference.tables);
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
