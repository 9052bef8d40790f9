// SPDX-License-Identifier: Apache-2.0
// Where streams stand that nobody goes on with any more. Their table has no partition for a time,
// and hubs write to it all the while: a partition that is swapped in would lose what came since it
// was read. So rows are deleted by their time, by a mutation, which leaves alone what comes after
// it was begun. Every server from 18.16 on has these.
#pragma once

#include <cstdint>

#include "fleet/store.hpp"

namespace polytrace::fleet {

struct OldStreams {
  std::uint64_t streams = 0;
  std::uint64_t rows = 0;
  std::uint32_t oldest = 0;  // when something was told of one of them; 0: there are none
  bool is_done = true;       // else the server is still at it
};
// Streams of which nothing was told from `before` on (seconds since 1970): all of their rows. Of
// others every row stays. `is_dry`: they are only counted. Errors: those of the link.
base::result<OldStreams> drop_old_streams(Store& store, std::uint32_t before, bool is_dry);

}  // namespace polytrace::fleet
