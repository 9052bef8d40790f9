// SPDX-License-Identifier: Apache-2.0
// A profile of one line, its whole sum: what the drill adds.
#include <fmt/format.h>

#include "exports/job/job.hpp"
#include "exports/job/text.hpp"

namespace polytrace::exports {

base::result<void> write_drill(const ProfileJob& job) {
  TextSink out(job.sink);
  out.text() = fmt::format("drill {}\n", job.pruned.profile.total().weight);
  return out.flush();
}

}  // namespace polytrace::exports
