// SPDX-License-Identifier: Apache-2.0
#include "exports/runners.hpp"

namespace polytrace::exports {

void TimelineRunner::add(const TimelineTarget& target, Output output) {
  const std::uint64_t limit = pass_.request.limit.value_or(target.limit);
  makings_.push_back({output.number, target.make({pass_.request, limit, pass_.origin, *output.sink,
                                                  std::move(output.folder)})});
}

base::result<void> TimelineRunner::consume(const slice::Slice& slice) {
  for (const Making& making : makings_) {
    pass_.current = making.output;
    if (auto taken = making.maker->consume(slice); !taken) return taken;
  }
  return {};
}

base::result<void> TimelineRunner::finish(const slice::Names& names) {
  for (const Making& making : makings_) {
    pass_.current = making.output;
    if (auto done = making.maker->finish(names); !done) return done;
    pass_.results[making.output].account = making.maker->account();
  }
  return {};
}

}  // namespace polytrace::exports
