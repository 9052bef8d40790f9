// SPDX-License-Identifier: Apache-2.0
#include "exports/job/job.hpp"

namespace polytrace::exports {

base::Time Origin::wall_of(base::Time time) const {
  base::Time past = 0, wall_time = 0;
  if (wall == base::kNoTime || wall_at == base::kNoTime || time == base::kNoTime ||
      __builtin_sub_overflow(time, wall_at, &past) ||
      __builtin_add_overflow(wall, past, &wall_time))
    return base::kNoTime;
  return wall_time;
}

}  // namespace polytrace::exports
