// SPDX-License-Identifier: Apache-2.0
#include "store/ask/whole.hpp"

#include <algorithm>

#include "store/ask/row_sums.hpp"

namespace polytrace::store {
namespace {

base::result<std::vector<ClassWhole>> all_classes(const IndexFrames& frames) {
  auto sums = row_sums(frames, SumKind::allocations, {});
  if (!sums) return base::Unexpected(sums.error());
  const auto class_of = [](const SumEntry& entry) { return entry.key.class_index; };
  std::ranges::stable_sort(*sums, {}, class_of);
  std::vector<ClassWhole> classes;
  for (const SumEntry& entry : *sums) {
    if (classes.empty() || classes.back().class_index != class_of(entry))
      classes.push_back({class_of(entry), 0, 0});
    classes.back().objects += entry.measures[0];
    classes.back().bytes += entry.measures[1];
  }
  return classes;
}

}  // namespace

bool is_of_all_threads(const Range& range, std::uint32_t threads) {
  if (range.threads.empty()) return true;
  std::vector<bool> chosen(threads);
  for (const std::uint32_t thread : range.threads)
    if (thread < threads) chosen[thread] = true;
  return std::ranges::all_of(chosen, [](bool one) { return one; });
}

std::vector<MethodDurations> whole_durations(const IndexFrames& frames) {
  std::vector<MethodDurations> all;
  for (const MethodWhole& method : frames.method_wholes())
    all.push_back({method.calls, method.least, method.most, method.sketch});
  return all;
}

base::result<Whole> whole(const IndexFrames& frames) {
  const auto sums = range_sums(frames, {});
  if (!sums) return base::Unexpected(sums.error());
  auto classes = all_classes(frames);
  if (!classes) return base::Unexpected(classes.error());
  Whole all{.methods = sums->methods(frames.paths()),
            .classes = std::move(*classes),
            .threads = frames.thread_wholes()};
  std::ranges::sort(all.methods, {}, &MethodSum::method);
  if (!frames.method_wholes().empty()) {
    all.durations = whole_durations(frames);
    return all;
  }
  auto durations = method_durations(frames, {});
  if (!durations) return base::Unexpected(durations.error());
  all.durations = std::move(*durations);
  return all;
}

}  // namespace polytrace::store
