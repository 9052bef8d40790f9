// SPDX-License-Identifier: Apache-2.0
// What a chunk of a TBF stream has for the watch (watch.hpp), which needs messages in their order:
// made while the chunk is decoded, on any core, so that the watch has little to do where nothing is
// odd. Of a stretch of plain calls: the ids it refers to, and what it leaves of each thread's
// calls. One thread at a time.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "base/raw_array.hpp"
#include "event/open_calls.hpp"
#include "format/tptp/tbf/frame.hpp"

namespace polytrace::format::tptp {

// What a call refers to, besides its thread.
struct CallIds {
  base::Id method = 0;
  base::Id class_id = 0;

  bool operator==(const CallIds&) const = default;
};

// A direct-mapped table has so many places.
template <std::size_t places>
std::size_t place_of_method(base::Id method) {
  static_assert((places & (places - 1)) == 0);
  return (method * 0x9e3779b97f4a7c15U >> 32) & (places - 1);
}

struct SeenChunk {
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  // One thread in a stretch.
  struct Thread {
    base::Id id = 0;
    base::Time first = std::numeric_limits<base::Time>::max();  // of calls that tell a time
    base::Time last = std::numeric_limits<base::Time>::min();
    Range exits{};            // in `calls`: of calls that were entered before
    Range open{};             // likewise: then entered and not left
    std::size_t deepest = 0;  // calls of the stretch that were open at once
  };
  enum class Sort : std::uint8_t { header, message, calls, summed_calls };
  struct Part {
    Sort sort;
    std::uint8_t payload;  // of a message: as in Frame
    std::uint16_t id;      // likewise
    std::uint32_t state;   // of `states`, but for the time
    std::size_t at;        // in the chunk
    std::size_t bytes;
    base::Time now;  // of a message
    Range ids{};     // of summed calls, as follows
    Range threads{};
  };

  void add(const Frame& frame, std::size_t at, const StreamState& state);
  void add(Sort sort, std::size_t at, std::size_t bytes) {
    parts.push_back({sort, 0, 0, static_cast<std::uint32_t>(states.size() - 1), at, bytes, 0});
  }

  std::vector<Part> parts;
  std::vector<StreamState> states;  // the first one: with which the chunk begins
  base::RawArray<CallIds> ids;      // each once, or a little more often
  std::vector<Thread> threads;
  base::RawArray<event::OpenCall> calls;
};

// Follows the calls of a stretch while they are decoded. What takes more than a look at the
// innermost call is left to the watch.
class CallFollower {
 public:
  explicit CallFollower(SeenChunk& chunk) : chunk_(chunk) {}

  void begin() {
    ++stretch_;
    odd_ = false;
    used_ = 0;
    ids_begin_ = static_cast<std::uint32_t>(chunk_.ids.size());
  }
  // Whose calls follow. Before the first one.
  void turn_to(base::Id thread);
  // Of a call that tells a time.
  void see_time(base::Time now) {
    if (now < at_->seen.last) odd_ = true;
    at_->seen.first = std::min(at_->seen.first, now);
    at_->seen.last = now;
  }
  [[gnu::always_inline]] void enter(base::Id method, base::Id class_id, event::u64 ticket) {
    if (odd_) return;
    refer(method, class_id);
    at_->open.push({method, ticket});
    at_->seen.deepest = std::max(at_->seen.deepest, at_->open.size());
  }
  // The method, also where only the entry names it, as far as it is known.
  [[gnu::always_inline]] base::Id exit(base::Id method, base::Id class_id, event::u64 ticket) {
    if (odd_) return method;
    refer(method, class_id);
    const event::OpenCall exit{method == 0 ? base::kNoId : method, ticket};
    auto& open = at_->open;
    if (open.empty()) {
      at_->exits.push(exit);
      odd_ = method == 0;
      return method;
    }
    const event::OpenCall call = open[open.size() - 1];
    odd_ = !event::agree(call, exit);
    if (odd_) return method;
    open.cut(open.size() - 1);
    return call.id;
  }
  // The stretch is chunk.bytes[at] and so many more.
  void end(std::size_t at, std::size_t bytes);

 private:
  static constexpr std::size_t kKnown = 512;
  static constexpr std::size_t kMostThreads = 64;  // in a stretch
  struct Known {
    CallIds ids{};
    std::uint64_t stretch = 0;
  };
  struct Thread {
    SeenChunk::Thread seen;
    base::RawArray<event::OpenCall> exits;
    base::RawArray<event::OpenCall> open;
  };

  void refer(base::Id method, base::Id class_id) {
    const CallIds ids{method, class_id};
    Known& known = known_[place_of_method<kKnown>(method)];
    if (known.stretch == stretch_ && known.ids == ids) return;
    known = {ids, stretch_};
    chunk_.ids.push(ids);
  }
  SeenChunk::Range put(std::span<const event::OpenCall> calls);

  SeenChunk& chunk_;
  std::uint64_t stretch_ = 0;
  bool odd_ = false;
  std::array<Known, kKnown> known_{};
  std::vector<Thread> threads_ = std::vector<Thread>(kMostThreads);
  std::size_t used_ = 0;  // of these
  Thread* at_ = nullptr;
  std::uint32_t ids_begin_ = 0;
};

}  // namespace polytrace::format::tptp
