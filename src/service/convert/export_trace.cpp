// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/codes.hpp"
#include "service/convert/export_run.hpp"
#include "service/words/numbers.hpp"
#include "service/words/words.hpp"

namespace polytrace::service {
namespace {

using Targets = std::vector<const exports::Target*>;

base::result<Targets> parse_targets(std::string_view list) {
  Targets chosen;
  for (const std::string_view word : listed(list)) {
    const exports::Target* target = exports::find_target(word);
    if (target == nullptr)
      return base::fail(base::Code::usage, fmt::format("no target \"{}\"{} (there are {})", word,
                                                       did_you_mean(word, target_names()),
                                                       fmt::join(target_names(), ", ")));
    chosen.push_back(target);
  }
  return chosen;
}

base::Unexpected unfit(std::string_view why) {
  return base::fail(base::Code::usage, std::string(why));
}

// Whether what is asked means something to the targets.
base::result<void> check_fit(const ExportQuestion& question, const Targets& targets) {
  if (targets.empty()) return unfit("--to: no target");
  if (targets.size() > 1 && question.output == "-")
    return unfit("several targets do not go to one standard output");
  const bool wants_snapshot = !question.snapshot.empty();
  if (wants_snapshot && !parse_number<std::uint64_t>(question.snapshot))
    return unfit("--snapshot takes a number");
  if (wants_snapshot && std::ranges::none_of(targets, &exports::Target::snapshot))
    return unfit("--snapshot: no target of --to is a heap snapshot");
  if (std::ranges::any_of(targets, &exports::Target::profile)) return {};
  if (!question.selection.name.empty()) return unfit("--name: no target of --to sums up stacks");
  if (!question.selection.subtract.empty())
    return unfit("--subtract: no target of --to sums up time");
  return {};
}

}  // namespace

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const exports::Target& target : exports::targets()) names.emplace_back(target.name);
  return names;
}

Asked<Exported> export_trace(Input& input, const ExportQuestion& question) {
  const auto targets = parse_targets(question.targets);
  if (!targets) return refuse(targets.error());
  if (const auto fit = check_fit(question, *targets); !fit) return refuse(fit.error());
  auto request = make_request(input, question.selection, question.profile);
  if (!request) return refuse(request.error(), input.name());
  request->snapshot = parse_number<std::uint64_t>(question.snapshot);
  ExportRun run(input, *request);
  for (const exports::Target* target : *targets) {
    const std::string file =
        targets->size() == 1 ? question.output : question.output + std::string(target->suffix);
    if (auto opened = run.add(*target, file, question.force); !opened)
      return refuse(opened.error(), file);
  }
  return run.run();
}

}  // namespace polytrace::service
