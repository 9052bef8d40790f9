// SPDX-License-Identifier: Apache-2.0
#include "service/input/cut_off.hpp"

#include <algorithm>

#include "event/missing.hpp"

namespace polytrace::service {

CutOff cut_off_of(const Overview& overview) {
  return {overview.cut_off, overview.cut_off_at, overview.cut_off.starts_with(event::kAtLimit)};
}

CutOff or_without_end(CutOff before, const std::vector<base::Notice>& notices) {
  const bool open = std::ranges::any_of(
      notices, [](const base::Notice& notice) { return notice.code == base::Code::segments_read; });
  if (!before.is_cut() && open)
    before.why = "it has no end: the program was killed or still runs, or the output failed";
  return before;
}

bool CutOffWatch::consume(const event::Batch& batch) {
  if (!batch.column<event::Recording>().empty())
    for (const event::Event& event : batch.events) {
      if (event.kind != event::Kind::Recording || event.detail == event::kAbsent) continue;
      const std::string_view name = batch.details<event::Recording>(event).name;
      if (!name.starts_with(event::kCutOff)) continue;
      const std::string_view why = name.substr(event::kCutOff.size());
      found_ = {std::string(why), event.time, why.starts_with(event::kAtLimit)};
    }
  return to_.consume(batch);
}

}  // namespace polytrace::service
