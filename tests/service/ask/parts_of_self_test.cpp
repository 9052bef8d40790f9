// SPDX-License-Identifier: Apache-2.0
// What the sums of an index say threads did inside their calls is what their status in the history
// of states says, which is derived by other means.
#include <gtest/gtest.h>

#include <random>

#include "analysis/derived.hpp"
#include "store/calls/paused_trace.hpp"
#include "store/store.hpp"

namespace polytrace::service::test {
namespace {

using polytrace::test::Derived;
using store::calls::common;
using store::calls::PausedTrace;
using store::calls::Span;

// Each value of a timeline from its start on.
using Timeline = std::vector<std::pair<base::Time, std::string>>;

Timeline timeline(const Derived& derived, std::uint32_t thread, const std::string& what) {
  const auto path = fmt::format("Threads/{:#x}/{}", store::calls::kFirstThread + thread, what);
  const auto nodes = derived.history().tree().match(path);
  Timeline all;
  if (nodes.size() != 1) return all;
  const auto key = derived.history().tree().key(nodes[0]);
  const auto done = derived.history().range(
      key, derived.extent().first, derived.extent().last, [&](const history::Interval& interval) {
        all.emplace_back(interval.start, polytrace::test::text(interval.value));
      });
  EXPECT_TRUE(done);
  return all;
}

// When it has one of the values.
std::vector<Span> spans(const Timeline& all, base::Time last, auto is_wanted) {
  std::vector<Span> wanted;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (is_wanted(all[i].second))
      wanted.emplace_back(all[i].first, i + 1 < all.size() ? all[i + 1].first : last);
  return wanted;
}

struct Status {
  std::uint64_t running = 0, blocked = 0, waiting = 0, paused = 0;
  bool operator==(const Status&) const = default;
};
void PrintTo(const Status& status, std::ostream* out) {
  *out << "running " << status.running << ", blocked " << status.blocked << ", waiting "
       << status.waiting << ", paused " << status.paused;
}

// One thread's, between the two and inside its calls.
class History {
 public:
  History(const Derived& derived, std::uint32_t thread, base::Time last) {
    const Timeline status = timeline(derived, thread, "Status");
    in_calls_ = spans(timeline(derived, thread, "Stack"), last,
                      [](const std::string& depth) { return depth != "null"; });
    for (const char* const name : {"unknown", "blocked", "waiting", "paused"})
      by_status_.push_back(
          spans(status, last, [&](const std::string& value) { return value == name; }));
  }
  Status between(Span range) const {
    Status all;
    for (const Span& calls : in_calls_) {
      const Span part{std::max(calls.first, range.first), std::min(calls.second, range.second)};
      if (part.first >= part.second) continue;
      all.running += common(part, by_status_[0]);
      all.blocked += common(part, by_status_[1]);
      all.waiting += common(part, by_status_[2]);
      all.paused += common(part, by_status_[3]);
    }
    return all;
  }

 private:
  std::vector<Span> in_calls_;
  std::vector<std::vector<Span>> by_status_;
};

Status told(const store::RangeSums& sums) {
  Status all;
  for (const store::PathFigures& path : sums.paths()) {
    all.running += path.self - path.blocked - path.waiting - path.paused;
    all.blocked += path.blocked;
    all.waiting += path.waiting;
    all.paused += path.paused;
  }
  return all;
}

TEST(parts_of_self, are_what_the_history_of_states_says) {
  const store::calls::StreamShape shape{
      .events = 6000, .methods = 12, .depth = 8, .irregular = 10, .waits = 60, .step = 100};
  PausedTrace trace({random_stream(shape, 1), random_stream(shape, 2), random_stream(shape, 3)});
  trace.pause_at_random(store::calls::kStops, 60, 2000, 4);
  const auto batches = trace.told();
  const auto index = store::Store::of(trace.index({.most_open = 4096, .commit_each = 1}));
  const Derived derived([&](analysis::States& states) {
    for (const auto& batch : batches) ASSERT_TRUE(states.consume(*batch));
  });
  std::mt19937_64 random(5);
  Status sum;
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    const History history(derived, thread, index->thread_wholes()[thread].last);
    for (int i = 0; i < 60; ++i) {
      store::Range range = trace.random_range(random);
      range.threads = {thread};
      const auto sums = index->calls(range);
      ASSERT_TRUE(sums);
      const Status status = told(*sums);
      ASSERT_EQ(status, history.between({range.from, range.to})) << range.from << " " << range.to;
      sum.blocked += status.blocked;
      sum.waiting += status.waiting;
      sum.paused += status.paused;
    }
  }
  EXPECT_GT(std::min({sum.blocked, sum.waiting, sum.paused}), 0U);
}

}  // namespace
}  // namespace polytrace::service::test
