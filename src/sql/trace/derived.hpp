// SPDX-License-Identifier: Apache-2.0
// What is made of a trace beside its index, when a table first asks for it. Who opens the trace
// says where it comes from, and may keep it for the next time. Any number of threads.
#pragma once

#include <atomic>
#include <memory>

#include "base/result.hpp"
#include "history/history.hpp"

namespace polytrace::sql {

class Derived {
 public:
  Derived() = default;
  Derived(const Derived&) = delete;
  Derived& operator=(const Derived&) = delete;
  virtual ~Derived() = default;

  // The states of everything over time (docs/states.md). `stop` may be null; once true it ends
  // early. Errors: those of reading the trace and of making a history; query_timeout when asked to
  // stop.
  virtual base::result<std::shared_ptr<const history::History>> states(
      const std::atomic<bool>* stop) const = 0;
};

}  // namespace polytrace::sql
