// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a socket, by the kernel's word. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/types.hpp"
#include "collector/config/config.hpp"

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

// Whether the process began before that wall time, or nobody can tell.
bool began_before(const Owner& owner, base::Time wall);

// Of one that came over TCP and showed the token, which is all that is known of it: a program of
// our own user on our host, of the process that it tells. All who have the token are one owner.
Owner owner_over_tcp(std::uint64_t process);

// Where rows of whose programs go: databases of tenants by their users. Errors: usage (a user that
// this machine does not have).
base::result<std::unordered_map<uid_t, std::string>> databases_by_user(const Config& config);

}  // namespace polytrace::collector
