// SPDX-License-Identifier: Apache-2.0
// Numbers the calls of each thread and knows how deep they are, where a trace does not say so: an
// exit has the ticket of the entry that it ends, and its class. What it answers depends on threads
// and methods alone, never on tickets that were told, so a trace that was completed once stays as
// it is. Memory grows with open calls and is bounded. One thread at a time.
#pragma once

#include <vector>

#include "base/seeded_hash.hpp"
#include "base/types.hpp"

namespace polytrace::format::tptp {

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
  // Ticket 0 when there is no such call. Method 0 stands for any.
  Entry leave(base::Id thread, base::Id method);
  void end(base::Id thread) {
    threads_.erase(thread);
    last_ = nullptr;
  }

 private:
  struct Open {
    base::Id method;
    Entry entry;
  };
  struct Thread {
    std::int32_t last = 0;
    std::vector<Open> calls{};  // outermost first
    std::uint64_t deeper = 0;   // calls beyond what is kept
  };

  Thread& thread(base::Id id) {
    return last_ != nullptr && last_id_ == id ? *last_ : find_thread(id);
  }
  Thread& find_thread(base::Id id);

  base::IdMap<Thread> threads_;
  base::Id last_id_ = 0;  // the thread asked for last
  Thread* last_ = nullptr;
};

}  // namespace polytrace::format::tptp
