// SPDX-License-Identifier: Apache-2.0
// Whether a program does worse after a command than before it, by its own windows of 10 s: means of
// up to six that were whole before it, and of those that began after it. Worse by more than a
// fifth, and by more than what is always there:
//   lost events    of all events; 0.1 %
//   pauses         nanoseconds of a second; 10 ms
//   processor time nanoseconds of a second; 50 ms
// Where no window came before, losses alone are looked at. Pure; thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collector/flow/pulse.hpp"

namespace polytrace::collector {

struct Judgement {
  enum class Finding : std::uint8_t { well, worse, silent };  // silent: no window after it
  Finding finding = Finding::silent;
  std::string text{};  // "pauses 1.2 % before, 9.3 % after": for people
};

// `before`: as it stood when the command was given; `last`: the program's last event then.
Judgement judge(std::span<const Pulse::Beat> before, base::Time last,
                std::span<const Pulse::Beat> after);

}  // namespace polytrace::collector
