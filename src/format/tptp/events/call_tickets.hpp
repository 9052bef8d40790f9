// SPDX-License-Identifier: Apache-2.0
// Numbers the calls of each thread and knows how deep they are, where a trace does not say so: an
// exit has the ticket of the entry that it ends, and its class. Memory grows with open calls and
// is bounded. One thread at a time.
#pragma once

#include <cstddef>

#include "base/seeded_hash.hpp"
#include "event/open_calls.hpp"

namespace polytrace::format::tptp {

// Whose open calls are kept, as readers keep them when they look for the entry of an exit; beyond,
// all are forgotten.
inline constexpr std::size_t kMostThreads = 64 * 1024;

class CallTickets {
 public:
  struct Call {
    std::int32_t ticket;
    std::uint64_t depth;  // 1 is the outermost call
  };
  // `told` is the entry's ticket, 0 when there is none.
  Call enter(base::Id thread, base::Id method, std::int64_t class_id, std::int32_t told);
  struct Entry {
    std::int32_t ticket = 0;
    std::int64_t class_id = 0;
  };
  // Ticket 0 when there is no such call. Method 0 stands for any, `told` is the exit's ticket.
  Entry leave(base::Id thread, base::Id method, std::int32_t told);
  void end(base::Id thread);

 private:
  struct Open : event::OpenCall {  // its ticket as told: what was counted agrees with any
    Entry entry;
  };
  struct Thread {
    std::int32_t last = 0;
    event::OpenCalls<Open> calls{};
  };

  Thread& thread(base::Id id) {
    return last_ != nullptr && last_id_ == id ? *last_ : find_thread(id);
  }
  Thread& find_thread(base::Id id);

  base::IdMap<Thread> threads_;
  event::CallAccount account_;
  base::Id last_id_ = 0;  // the thread asked for last
  Thread* last_ = nullptr;
};

}  // namespace polytrace::format::tptp
