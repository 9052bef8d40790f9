// SPDX-License-Identifier: Apache-2.0
// The calls of a thread that were entered and not left: the one place that knows which call a leave
// ends, for reports, exports, conversions and cuts alike.
//
// A leave ends the innermost open call that agrees with it, and with it the calls that this one
// made: their own leaves are missing. They agree where both tell the same method and, if both tell
// one, the same ticket; a leave of no method (kNoId) agrees with any. A leave that agrees with no
// open call ends nothing. Calls beyond kMostOpen, in all threads together, are dropped: as many
// leaves of their thread are theirs.
//
// Constant time per call on average, whatever the leaves: once a search has gone deep, the thread's
// calls are counted by method and ticket until all are left. One thread at a time.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>

#include "base/seeded_hash.hpp"
#include "event/batch.hpp"

namespace polytrace::event {

// What a call, or the leave of one, tells of itself.
struct OpenCall {
  Id id;       // the method
  u64 ticket;  // of the call, where its source numbers them; 0: not told
};

// REQUIRES: is_call(event.kind).
inline u64 ticket_of(const Batch& batch, const Event& event) {
  if (event.detail == kAbsent) return 0;
  if (event.kind == Kind::Enter) return batch.details<Enter>(event).ticket;
  if (event.kind == Kind::Leave) return batch.details<Leave>(event).ticket;
  return batch.details<Unwind>(event).ticket;
}
inline OpenCall called(const Batch& batch, const Event& event) {
  return {event.id, ticket_of(batch, event)};
}

inline bool tickets_agree(u64 call, u64 leave) { return call == leave || call == 0 || leave == 0; }
inline bool agree(const OpenCall& call, const OpenCall& leave) {
  return (call.id == leave.id || leave.id == base::kNoId) &&
         tickets_agree(call.ticket, leave.ticket);
}

// Of all threads of one pass: how many calls are open, and what had to be put right.
struct CallAccount {
  static constexpr std::size_t kMostOpen = std::size_t{1} << 20;

  std::size_t open = 0;  // now, but for those of a thread whose Ends are out
  u64 ignored = 0;       // leaves that ended nothing
  u64 cut = 0;           // calls that ended when a caller was left
  u64 unended = 0;       // calls that were open at the end
  u64 dropped = 0;       // calls beyond kMostOpen
  u64 backwards = 0;     // times of calls that are before the one before in their thread
};

// How many calls there are, by what a leave may ask for.
class CallCounts {
 public:
  void add(const OpenCall& call);
  // REQUIRES: add() of the same.
  void remove(const OpenCall& call);
  // Whether any agrees with the leave. (True may be wrong, as rarely as hashes collide.)
  bool has(const OpenCall& leave) const;

 private:
  void change(const OpenCall& call, bool adds);

  base::IdMap<std::uint32_t> by_hash_;
  std::uint64_t calls_ = 0;
  std::uint64_t without_ticket_ = 0;
};

// Call is base::Id, or has `Id id` and, if there are tickets, `u64 ticket`.
template <class Call>
class OpenCalls {
 public:
  bool empty() const { return depth_ == 0; }
  std::size_t depth() const { return depth_; }
  // 0 is the outermost. REQUIRES: i < depth().
  Call& operator[](std::size_t i) { return slots_[i + 1]; }
  const Call& operator[](std::size_t i) const { return slots_[i + 1]; }
  // REQUIRES: not empty().
  Call& innermost() { return slots_[depth_]; }
  const Call& innermost() const { return slots_[depth_]; }
  // Calls that are open beyond the limit.
  u64 dropped() const { return dropped_; }

  void enter(const Call& call) {
    if (depth_ + 1 >= capacity_) grow(depth_ + 2);
    slots_[++depth_] = call;
    if (counts_ != nullptr) [[unlikely]]
      counts_->add(told(call));
  }
  // False: dropped.
  bool enter(const Call& call, CallAccount& account) {
    if (dropped_ != 0 || account.open >= CallAccount::kMostOpen) [[unlikely]] {
      drop(account);
      return false;
    }
    ++account.open;
    enter(call);
    return true;
  }
  // The call that ended, until the next enter(); null where none did.
  [[gnu::always_inline]] const Call* leave(const OpenCall& leave, CallAccount& account) {
    if (depth_ == 0 || dropped_ != 0 || counts_ != nullptr || !agree(told(slots_[depth_]), leave))
        [[unlikely]]
      return leave_any(leave, account);
    --account.open;
    return &slots_[depth_--];
  }
  // How many calls stay open when such a leave comes: depth() where it ends none.
  std::size_t find(const OpenCall& leave) {
    if (counts_ != nullptr && !counts_->has(leave)) return depth_;
    const std::size_t lowest = depth_ > kNear && counts_ == nullptr ? depth_ - kNear : 0;
    std::size_t at = depth_;
    while (at > lowest && !agree(told(slots_[at]), leave)) --at;
    if (at > lowest) return at - 1;
    if (lowest == 0) return depth_;
    count();
    return find(leave);
  }
  // Ends all but the first `depth` calls.
  void keep(std::size_t depth) {
    for (; depth_ > depth; --depth_)
      if (counts_ != nullptr) [[unlikely]]
        counts_->remove(told(slots_[depth_]));
    if (depth == 0) counts_.reset();
  }
  void clear() {
    depth_ = 0;
    dropped_ = 0;
    counts_.reset();
  }

  // --- for hot loops, which work on the calls themselves ---

  // What stands before the outermost call. REQUIRES: has_memory().
  Call& bottom() { return slots_[0]; }
  bool has_memory() const { return capacity_ != 0; }
  std::span<Call> all() { return with_bottom().subspan(has_memory() ? 1 : 0); }
  std::span<Call> with_bottom() { return {slots_.get(), has_memory() ? depth_ + 1 : 0}; }
  // Null, but behind a search that went deep. While it is not, each call is added and removed.
  CallCounts* counts() { return counts_.get(); }

  // One past the innermost call, with room for `more`. REQUIRES: counts() == nullptr.
  Call* top(std::size_t more) {
    if (depth_ + 1 + more > capacity_) grow(depth_ + 1 + more);
    return slots_.get() + depth_ + 1;
  }
  void set_top(const Call* top) { depth_ = static_cast<std::size_t>(top - slots_.get()) - 1; }

  struct Ends {
    Call* top;
    Call* bottom;
    Call* last;  // the highest `top` there is room for
  };
  // REQUIRES: put() before anything else is done.
  Ends take(CallAccount& account) {
    account.open -= depth_;
    if (!has_memory()) grow(2);
    return ends(account);
  }
  void put(Ends ends, CallAccount& account) {
    set_top(ends.top + 1);
    account.open += depth_;
  }
  // For one more call. Its top == last: there is no room, drop() it.
  Ends grown(Ends old, const CallAccount& account) {
    set_top(old.top + 1);
    if (depth_ + 1 == capacity_ && account.open + depth_ < CallAccount::kMostOpen) grow(depth_ + 2);
    return ends(account);
  }
  void drop(CallAccount& account) { ++dropped_, ++account.dropped; }
  // REQUIRES: dropped() != 0.
  void leave_dropped() { --dropped_; }
  // A thread that has left everything can lend its memory. REQUIRES: both are empty().
  void give_memory(OpenCalls& to) {
    if (to.capacity_ < capacity_) {
      std::swap(slots_, to.slots_);
      std::swap(capacity_, to.capacity_);
    }
    slots_.reset();
    capacity_ = 0;
    counts_.reset();
  }

 private:
  static constexpr std::size_t kNear = 32;

  // As leave(), of a call that is not innermost, too.
  [[gnu::noinline]] const Call* leave_any(const OpenCall& leave, CallAccount& account) {
    if (dropped_ != 0) return --dropped_, nullptr;
    const std::size_t stay = find(leave);
    if (stay == depth_) return ++account.ignored, nullptr;
    account.cut += depth_ - stay - 1;
    account.open -= depth_ - stay;
    keep(stay);
    return &slots_[stay + 1];
  }
  static OpenCall told(const Call& call) {
    if constexpr (std::is_same_v<Call, Id>) return {call, 0};
    else if constexpr (requires { call.ticket; }) return {call.id, call.ticket};
    else return {call.id, 0};
  }
  Ends ends(const CallAccount& account) {
    Call* const bottom = slots_.get();
    const std::size_t open = std::min(CallAccount::kMostOpen, account.open);
    const std::size_t room = dropped_ != 0 ? 0 : CallAccount::kMostOpen - open;
    const std::size_t last = std::max(depth_, std::min(capacity_ - 1, room));
    return {bottom + depth_, bottom, bottom + last};
  }
  void grow(std::size_t slots) {
    const std::size_t larger = std::max({std::size_t{16}, slots, capacity_ * 2});
    auto to = std::make_unique_for_overwrite<Call[]>(larger);
    if constexpr (std::is_same_v<Call, Id>) to[0] = base::kNoId;
    if (has_memory()) std::copy_n(slots_.get(), depth_ + 1, to.get());
    slots_ = std::move(to);
    capacity_ = larger;
  }
  void count() {
    counts_ = std::make_unique<CallCounts>();
    for (std::size_t i = 1; i <= depth_; ++i) counts_->add(told(slots_[i]));
  }

  std::unique_ptr<Call[]> slots_;  // [0] is no call
  std::size_t capacity_ = 0;
  std::size_t depth_ = 0;
  u64 dropped_ = 0;
  std::unique_ptr<CallCounts> counts_;
};

}  // namespace polytrace::event
