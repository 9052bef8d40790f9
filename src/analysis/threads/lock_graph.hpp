// SPDX-License-Identifier: Apache-2.0
// Who waited for whom: the waits for locks as a graph. Whoever gets a lock while another thread
// waits for it held it during that wait; who held it before, only an owner that the trace tells can
// say. Keeps every wait, up to kMostWaits. One thread at a time.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "analysis/analysis.hpp"
#include "analysis/table/table.hpp"
#include "analysis/table/words.hpp"

namespace polytrace::analysis {

class LockGraph {
 public:
  static constexpr std::size_t kMostWaits = std::size_t{1} << 20;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Wait {
    std::uint32_t lock = 0;
    std::uint32_t thread = 0;     // index, also of `owner`
    std::uint32_t owner = kNone;  // at the start, as told
    std::uint32_t site = kNone;   // method index
    base::Time start = base::kNoTime;
    base::Time end = base::kNoTime;
    bool got_it = true;
    std::uint32_t next = kNone;  // the wait of a holder that this one had to wait for as well
  };
  // How crowded a lock is.
  struct Queue {
    std::uint32_t lock = 0;
    std::uint64_t waits = 0;
    std::uint64_t threads = 0;   // that waited
    std::uint64_t most = 0;      // waited at once
    std::uint64_t wait = 0;      // nanoseconds of all waits
    std::uint64_t awaited = 0;   // in which at least one thread waited
    std::uint64_t crowded = 0;   // in which at least two did
    std::uint32_t site = kNone;  // of the most wait
  };
  struct Blocked {
    std::uint64_t waits = 0;
    std::uint64_t time = 0;
    bool told = false;
  };
  struct Edge {
    std::uint32_t holder;  // thread index; kNone: not told
    std::uint32_t waiter;
    std::uint32_t lock;
    auto operator<=>(const Edge&) const = default;
  };

  void add(const Wait& wait);
  // Once, after the last wait.
  void finish();

  const std::vector<Queue>& queues() const { return queues_; }  // by lock
  const std::map<Edge, Blocked>& edges() const { return edges_; }
  const std::vector<Wait>& waits() const { return waits_; }  // by lock, then start
  // Who held the lock of a wait meanwhile, as far as known; in order of waits, of one in order of
  // time.
  struct Holding {
    std::uint32_t wait;  // index of the one that had to wait
    std::uint32_t holder;
    base::Time from;
    base::Time to;
  };
  const std::vector<Holding>& holdings() const { return holdings_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  void measure(std::size_t begin, std::size_t end);
  void find_site(std::size_t begin, std::size_t end, Queue& queue) const;
  void find_holders(std::size_t begin, std::size_t end);
  void block(const Wait& wait, std::uint32_t holder, base::Time from, base::Time to, bool first);
  void find_chains();

  std::vector<Wait> waits_;
  std::vector<Queue> queues_;
  std::map<Edge, Blocked> edges_;
  std::vector<Holding> holdings_;
  std::uint64_t left_out_ = 0;
};

// "App.Lock 0x7f00"; by index of the lock.
using LockName = std::function<std::string(std::uint32_t lock)>;

// How many waited at once, who waited for whom, and chains over several locks.
std::vector<Table> lock_tables(const LockGraph& graph, const LockName& lock_name,
                               const Names& names, const Selection& selection,
                               const TableOptions& options);
// Locks that many threads queue at.
std::vector<Suspect> find_convoys(const LockGraph& graph, const LockName& lock_name,
                                  const Names& names);

}  // namespace polytrace::analysis
