// SPDX-License-Identifier: Apache-2.0
// Monitors/<object>/...: who waits for each lock, and meanwhile who holds it, as far as that was
// told. One thread at a time.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "analysis/states/derive/state_writer.hpp"
#include "analysis/states/derive/world.hpp"
#include "analysis/states/gather/happening.hpp"
#include "analysis/table/words.hpp"
#include "base/seeded_hash.hpp"
#include "slice/lives.hpp"

namespace polytrace::analysis {

enum class LockAttribute : std::uint8_t { type, owner, waiters, waiting };
inline constexpr std::size_t kLockAttributes = 4;

class LockStates {
 public:
  explicit LockStates(World& world) : world_(world), threads_(world.threads().size()) {}

  void allocated(base::Id object, std::uint32_t type) { classes_.add(object, type); }
  void moved(base::Id from, base::Id to) { classes_.move(from, to); }

  // The thread waits for the object's lock, or no longer for any.
  void contend(std::uint32_t thread, base::Id object, std::uint32_t type);
  void stop_contending(std::uint32_t thread);
  // It waits in the object: the lock is not its own meanwhile.
  void wait(std::uint32_t thread, base::Id object);
  void stop_waiting(std::uint32_t thread);
  // No release is recorded: it is known to be the owner only while others wait for the lock.
  void own(std::uint32_t thread, base::Id object, std::uint32_t type);
  void end(std::uint32_t thread);

 private:
  struct Lock {
    Attributes<LockAttribute, kLockAttributes> attributes;
    std::uint32_t owner = kNothing;
    std::uint32_t contenders = 0;  // threads that wait for the lock, not in the object
    std::map<std::uint64_t, std::uint32_t> waiters{};  // threads by order of arrival
    bool typed = false;
  };
  struct Place {
    std::uint32_t lock = kNothing;
    std::uint64_t arrival = 0;
  };
  struct Thread {
    Place contends;
    Place waits;
    std::set<std::uint32_t> owned;  // locks
  };
  static constexpr std::size_t kMostNamed = 16;

  std::uint32_t lock(base::Id object, std::uint32_t type);
  history::Key key(Lock& lock, LockAttribute attribute);
  void arrive(std::uint32_t thread, Place& place, std::uint32_t lock);
  void depart(Place& place);
  void set_owner(std::uint32_t lock, std::uint32_t thread);
  void show_waiters(Lock& lock);

  World& world_;
  history::Key parent_ = history::kNoKey;
  RecentClasses classes_;
  base::IdMap<std::uint32_t> indexes_;
  std::deque<Lock> locks_;
  std::deque<Thread> threads_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace polytrace::analysis
