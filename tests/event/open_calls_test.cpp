// SPDX-License-Identifier: Apache-2.0
#include "event/open_calls.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

namespace polytrace::event {
namespace {

using base::kNoId;

// The rule by itself: no limit, no counts, every call looked at.
class SlowCalls {
 public:
  void enter(const OpenCall& call) { calls_.push_back(call); }
  std::optional<OpenCall> leave(const OpenCall& leave) {
    for (std::size_t i = calls_.size(); i > 0; --i) {
      const OpenCall call = calls_[i - 1];
      if (leave.id != kNoId && leave.id != call.id) continue;
      if (leave.ticket != 0 && call.ticket != 0 && leave.ticket != call.ticket) continue;
      calls_.resize(i - 1);
      return call;
    }
    return {};
  }
  std::size_t depth() const { return calls_.size(); }

 private:
  std::vector<OpenCall> calls_;
};

struct Calls {
  OpenCalls<OpenCall> open;
  CallAccount account;

  void enter(base::Id method, u64 ticket = 0) { open.enter({method, ticket}, account); }
  // The ticket of the call that ended, 0 where none did.
  u64 leave(base::Id method, u64 ticket = 0) {
    const OpenCall* const ended = open.leave({method, ticket}, account);
    return ended != nullptr ? ended->ticket : 0;
  }
};

TEST(open_calls, a_leave_ends_the_innermost_call_of_its_method_and_those_above) {
  Calls calls;
  for (const base::Id method : {1U, 2U, 1U, 3U, 4U}) calls.enter(method, 10 + method);
  EXPECT_EQ(calls.leave(1), 11U);
  EXPECT_EQ(calls.open.depth(), 2U);
  EXPECT_EQ(calls.account.cut, 2U);
  EXPECT_EQ(calls.leave(3), 0U) << "ended with its caller";
  EXPECT_EQ(calls.account.ignored, 1U);
  EXPECT_EQ(calls.open.depth(), 2U);
}

TEST(open_calls, a_ticket_tells_calls_of_one_method_apart) {
  Calls calls;
  for (const u64 ticket : {7U, 8U, 9U}) calls.enter(1, ticket);
  EXPECT_EQ(calls.leave(1, 8), 8U);
  EXPECT_EQ(calls.open.depth(), 1U);
  EXPECT_EQ(calls.leave(1, 9), 0U) << "ended with its caller";
  EXPECT_EQ(calls.leave(1, 6), 0U) << "nobody opened it";
  EXPECT_EQ(calls.open.depth(), 1U);
  EXPECT_EQ(calls.leave(1), 7U) << "what tells no ticket agrees with any";
}

TEST(open_calls, a_ticket_of_another_method_is_another_call) {
  Calls calls;
  calls.enter(1, 7);
  calls.enter(2, 7);
  EXPECT_EQ(calls.leave(1, 7), 7U);
  EXPECT_TRUE(calls.open.empty());
}

TEST(open_calls, a_leave_of_no_method_ends_the_innermost_call_that_its_ticket_fits) {
  Calls calls;
  calls.enter(1, 7);
  calls.enter(2, 8);
  calls.enter(3, 9);
  EXPECT_EQ(calls.leave(kNoId, 8), 8U);
  EXPECT_EQ(calls.leave(kNoId), 7U);
  EXPECT_EQ(calls.leave(kNoId), 0U);
}

TEST(open_calls, calls_beyond_the_limit_take_as_many_leaves) {
  Calls calls;
  for (std::size_t i = 0; i < CallAccount::kMostOpen + 3; ++i) calls.enter(1);
  EXPECT_EQ(calls.account.dropped, 3U);
  EXPECT_EQ(calls.open.depth(), CallAccount::kMostOpen);
  Calls other{.open = {}, .account = calls.account};
  other.enter(1);
  EXPECT_EQ(other.open.dropped(), 1U) << "the limit is of all threads together";
  for (int i = 0; i < 4; ++i) calls.leave(1);
  EXPECT_EQ(calls.open.depth(), CallAccount::kMostOpen - 1);
  EXPECT_EQ(calls.account.open, CallAccount::kMostOpen - 1);
}

// Few methods and tickets, so that all that can meet does; deep, so that calls are counted.
TEST(open_calls, whatever_comes_is_what_looking_at_every_call_says) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
    const unsigned tickets = seed % 4 == 0 ? 1 : 1 + below(30);
    const auto any_call = [&](bool leave) -> OpenCall {
      const bool named = !leave || below(50) != 0;
      return {named ? base::Id{below(12)} : kNoId, below(tickets)};
    };
    Calls calls;
    SlowCalls slow;
    for (int i = 0; i < 5000; ++i) {
      // Deep at first, then down to nothing more than once.
      if (below(100) < (i % 2500 < 1500 ? 70U : 20U)) {
        const OpenCall call = any_call(false);
        calls.open.enter(call, calls.account);
        slow.enter(call);
      } else {
        OpenCall leave = any_call(true);
        if (below(3) == 0) leave.id = 100;  // of a method that nobody entered
        const std::size_t before = slow.depth();
        const OpenCall* const ended = calls.open.leave(leave, calls.account);
        const std::optional<OpenCall> expected = slow.leave(leave);
        ASSERT_EQ(ended != nullptr, expected.has_value()) << seed << " " << i << " " << before;
        if (!expected) continue;
        ASSERT_EQ(ended->id, expected->id);
        ASSERT_EQ(ended->ticket, expected->ticket);
      }
      ASSERT_EQ(calls.open.depth(), slow.depth()) << seed << " " << i;
      ASSERT_EQ(calls.account.open, slow.depth());
    }
  }
}

// 100,000 leaves of a method that is not open on a stack as deep: by looking at each call, 10^10
// steps.
TEST(open_calls, leaves_of_methods_that_are_not_open_stay_cheap) {
  Calls calls;
  for (base::Id i = 0; i < 100'000; ++i) calls.enter(i);
  for (int i = 0; i < 100'000; ++i) calls.leave(1'000'000);
  EXPECT_EQ(calls.account.ignored, 100'000U);
  EXPECT_EQ(calls.open.depth(), 100'000U);
}

}  // namespace
}  // namespace polytrace::event
