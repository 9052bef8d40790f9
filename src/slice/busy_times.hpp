// SPDX-License-Identifier: Apache-2.0
// How much of the own time of calls their threads used a processor, and how much they waited
// (docs/decisions/0023-busy-is-what-used-cpu.md). What a thread used of a stretch of time is shared
// out among the pieces of it, from the begin or end of a call to the next: each has the same, but
// for those that were shorter. For where calls begin and end in quick succession, somebody works,
// and what waits is long. Runs beside a walk over calls, which says how long
// each was. Where the recorder is not one that tells CPU time, and none of the first many calls has
// a figure beside it, calls are followed from the first figure on.
// One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "slice/selection.hpp"
#include "slice/slice.hpp"

namespace polytrace::slice {

class BusyTimes {
 public:
  // Nanoseconds of own time. What is in neither is unknown: no figure tells of it.
  struct Times {
    std::uint64_t busy = 0;
    std::uint64_t waiting = 0;
    void add(const Times& more) {
      busy += more.busy;
      waiting += more.waiting;
    }
  };

  explicit BusyTimes(const Selection& selection);

  // Before the calls of a slice are walked: takes its figures of CPU time.
  void consume(const Slice& slice);
  // Whether there was any.
  bool known() const { return known_; }
  // Whether take() has to be called.
  bool wanted() const { return patience_ != 0; }
  // What `key` stands for was innermost in a thread, an index of Names::threads(), since the take()
  // before of that thread and until `to`; `waited` is the thread's WorkClock::waits() by then.
  // Where nothing was that figures are wanted of, the key is kNobody.
  static constexpr std::uint32_t kNobody = 0xffffffff;
  void take(std::uint32_t thread, std::uint32_t key, base::Time to, std::uint64_t waited);
  // Gives each key another one: `keys` by the one before.
  void rename(std::span<const std::uint32_t> keys);
  // What is known so far, by key; may be shorter.
  const std::vector<Times>& times() const { return times_; }
  // Once, after the last take(): all of it.
  std::vector<Times> finish();
  // Likewise, of times by key.
  static void rename(std::vector<Times>& times, std::span<const std::uint32_t> keys);

 private:
  // Of one key in a thread: `time` of [from, to) was its own, in so many pieces.
  struct Piece {
    base::Time from;
    base::Time to;
    std::uint64_t time;
    std::uint32_t key;
    std::uint32_t count;
    // Of it, what lies between the two.
    Piece part(base::Time begin, base::Time end) const;
  };
  // That a thread used so much in the time before; nothing where that is not known.
  struct Figure {
    base::Time time;
    std::uint64_t span;  // nanoseconds; 0: since the figure before
    std::optional<std::uint64_t> used;
  };
  struct Stretch {
    base::Time from;
    base::Time to;
    std::uint64_t used;
  };
  struct Thread {
    base::Time last = base::kNoTime;  // of what was taken
    std::uint64_t waited = 0;
    base::Time shared = base::kNoTime;  // of the last figure that was shared out
    bool idle = false;                  // which said that none was used
    // What waits for the other, by time: calls and figures of a time may come one before or behind
    // the other, and a figure before an earlier one.
    std::vector<Piece> pieces;
    std::vector<Figure> figures;
  };
  // Where a key's piece of the current thread and cell is.
  struct Place {
    std::uint32_t cell = 0;
    std::uint32_t piece = 0;
  };

  static void add_figure(Thread& thread, const Figure& figure);
  void add_piece(std::uint32_t number, Thread& thread, const Piece& piece);
  void share_out(Thread& thread, bool all);
  void share_out(Thread& thread, const Figure& figure);
  void share_out(std::vector<Piece>& pieces, const Stretch& stretch);
  // What each of the parts has where they have so much together.
  static double share_of_each(std::vector<Piece>& parts, std::uint64_t used);

  Selection selection_;
  bool known_ = false;
  std::uint32_t patience_ = 200'000;  // calls of take() until the first figure
  std::vector<Thread> threads_;       // by index
  std::vector<Times> times_;          // by key
  // Short pieces of one key in a cell of time are one, so that memory does not grow with calls.
  std::vector<Place> places_;  // by key
  std::uint32_t cells_ = 0;    // that were begun
  std::uint32_t thread_ = 0;   // whose cell it is
  base::Time cell_ = base::kNoTime;
  std::vector<Piece> parts_;  // of the stretch that is shared out
};

}  // namespace polytrace::slice
