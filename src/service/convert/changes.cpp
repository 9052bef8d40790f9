// SPDX-License-Identifier: Apache-2.0
// The conversions that change the events on their way.
#include <fstream>
#include <iterator>

#include "base/codes.hpp"
#include "service/convert/conversion.hpp"
#include "transform/anonymize.hpp"

namespace polytrace::service {
namespace {

constexpr std::string_view kRuntimeNames = "runtime";

// "@FILE" stands for what the file holds.
base::result<std::string> key_of(const std::string& word) {
  if (!word.starts_with('@')) return word;
  std::ifstream file(word.substr(1), std::ios::binary);
  if (!file) return base::fail(base::Code::open_failed);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string> kept_prefixes(const std::vector<std::string>& words) {
  std::vector<std::string> prefixes;
  for (const std::string& word : words) {
    if (word != kRuntimeNames) prefixes.push_back(word);
    else
      for (std::string& one : transform::runtime_prefixes()) prefixes.push_back(std::move(one));
  }
  return prefixes;
}

base::result<void> learn(Input& input, transform::Subjects& subjects) {
  if (auto ready = input.prepare_passes(); !ready) return ready;
  auto opened = input.open();
  if (!opened) return base::Unexpected(opened.error());
  pass(input, *opened->reader, subjects);
  subjects.finish();
  return {};
}

}  // namespace

CutAnswer cut(Input& input, const CutQuestion& question, const TargetOptions& target) {
  const auto selection = make_selection(input, question.selection);
  if (!selection) return {refuse(selection.error(), input.name())};
  transform::Subjects subjects(question.method, question.in_class);
  const bool by_name = !question.method.empty() || !question.in_class.empty();
  if (by_name) {
    if (auto learned = learn(input, subjects); !learned)
      return {refuse(learned.error(), input.name())};
  }
  const transform::CutOptions options{selection->from, selection->to, selection->threads,
                                      by_name ? &subjects : nullptr};
  transform::CutCounts counts;
  Change change;
  change.before = [&](std::unique_ptr<event::Writer> writer) -> std::unique_ptr<event::Writer> {
    return std::make_unique<transform::Cut>(std::move(writer), options, counts);
  };
  auto done = convert(input, target, change);
  return {std::move(done), counts};
}

Asked<Conversion> anonymize(const Input& input, const AnonymizeQuestion& question,
                            const TargetOptions& target) {
  const auto key = key_of(question.key);
  if (!key) return refuse(key.error(), question.key.substr(1));
  Change change;
  change.before = [&](std::unique_ptr<event::Writer> writer) -> std::unique_ptr<event::Writer> {
    const transform::TokenOptions options{*key, kept_prefixes(question.keep)};
    return std::make_unique<transform::Anonymizer>(std::move(writer), options);
  };
  return convert(input, target, change);
}

}  // namespace polytrace::service
