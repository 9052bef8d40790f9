// SPDX-License-Identifier: Apache-2.0
// The door of the room: a server for a page about some traces, on loopback, until it is stopped.
#pragma once

#include <atomic>
#include <functional>

#include "server/offers.hpp"

namespace polytrace::server {

struct Started {
  std::string url{};  // with the token in its fragment
  std::uint16_t port = 0;
};
// What becomes of a file that cannot be opened.
struct Failed {
  std::string file{};
  base::Error error{};
};

// Serves until `stop` is true. `started` is called once, when the server listens. Files that cannot
// be opened go to `failed`, which is called before `started`. Errors: open_failed where there is no
// port; the first file's, when none can be opened.
base::result<void> serve(const Options& options, const std::atomic<bool>& stop,
                         const std::function<void(const Failed&)>& failed,
                         const std::function<void(const Started&)>& started);

}  // namespace polytrace::server
