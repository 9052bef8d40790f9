// SPDX-License-Identifier: Apache-2.0
// Ways to hubs: a connection to each, over which an edge shows who it is. Any thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "collector/config/config.hpp"
#include "warehouse/post.hpp"

namespace polytrace::collector {

struct HubPatience {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds answer{60'000};  // the whole request
  std::uint64_t most_answer = 4096;          // bytes
};

// In the order of `hubs`; none is connected to. Errors: library_missing, open_failed (the file of
// the token).
base::result<std::vector<warehouse::Poster>> open_posters(const std::vector<std::string>& hubs,
                                                          const Credentials& shown,
                                                          const HubPatience& patience);

}  // namespace polytrace::collector
