// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a socket, by the kernel's word. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "collector/aggregate/labels.hpp"

namespace polytrace::collector {

struct Owner {
  uid_t user = 0;
  pid_t process = 0;
  std::uint64_t started = 0;  // ticks since boot: with its id what names a process for good
  std::string name;           // "java 4711"
  LabelList labels;           // host, instance, container: what only we may say

  bool is_same(const Owner& other) const {
    return user == other.user && process == other.process && started == other.started;
  }
};

// Nothing where the process is gone or cannot be told.
std::optional<Owner> owner_of(int socket);

}  // namespace polytrace::collector
