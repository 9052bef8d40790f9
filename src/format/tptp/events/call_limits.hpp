// SPDX-License-Identifier: Apache-2.0
// What is kept of the open calls of a stream: as readers keep it when they look for the entry of an
// exit.
#pragma once

#include <cstddef>

namespace polytrace::format::tptp {

inline constexpr std::size_t kMostThreads = 64 * 1024;  // beyond, all are forgotten

}  // namespace polytrace::format::tptp
