// SPDX-License-Identifier: Apache-2.0
// Calls one by one are those of the streams: found call by call.
#include "store/ask/events/slice_scan.hpp"

#include <random>

#include "store/ask/one_call.hpp"
#include "store/zoom/zoomed.hpp"

namespace polytrace::store::zooms {
namespace {

struct Sliced {
  std::uint32_t thread;
  std::uint64_t call;  // number in its thread
  base::Time start, end;
  std::vector<base::Id> stack;
  std::uint64_t caller;  // number; ~0: none
  std::uint64_t self;

  bool operator==(const Sliced&) const = default;
};
void PrintTo(const Sliced& slice, std::ostream* out) {
  *out << slice.thread << '/' << slice.call << ": " << slice.start << " to " << slice.end
       << ", depth " << slice.stack.size() << ", caller " << slice.caller << ", self "
       << slice.self;
}

std::vector<Sliced> told(const Traced& traced, const Range& range, const MethodSet* methods) {
  std::vector<Sliced> all;
  SliceScan scan(traced.frames(), range, methods, SelfTimes::told);
  for (;;) {
    const auto page = scan.next();
    EXPECT_TRUE(page) << base::to_text(page.error());
    if (!page || *page == nullptr) return all;
    const SlicePage& of = **page;
    EXPECT_LE(of.calls.size(), kPageCalls);
    for (std::size_t i = 0; i < of.calls.size(); ++i) {
      const SliceId caller = of.callers[i];
      all.push_back({of.thread, traced.number_of(of.calls[i]), of.starts[i], of.ends[i],
                     traced.stack(of.paths[i]),
                     caller == kNoSlice ? ~std::uint64_t{0} : traced.number_of(caller),
                     of.selfs[i]});
      EXPECT_EQ(of.depths[i] + 1, all.back().stack.size());
    }
  }
}

std::vector<Sliced> expected(const Traced& traced, const Range& range,
                             const std::vector<base::Id>& methods) {
  std::vector<Sliced> all;
  for (std::uint32_t thread = 0; thread < traced.truth().size(); ++thread) {
    if (!range.threads.empty() && std::ranges::find(range.threads, thread) == range.threads.end())
      continue;
    const TrueThread& truth = traced.truth()[thread];
    std::vector<std::uint64_t> selfs;
    for (const TrueCall& call : truth.calls)
      selfs.push_back(static_cast<std::uint64_t>(call.end - call.start));
    for (std::size_t i = 0; i < truth.calls.size(); ++i)
      if (truth.callers[i] != TrueThread::kNone)
        selfs[truth.callers[i]] -=
            static_cast<std::uint64_t>(truth.calls[i].end - truth.calls[i].start);
    for (std::size_t i = 0; i < truth.calls.size(); ++i) {
      const TrueCall& call = truth.calls[i];
      if (call.start >= range.to || call.end < range.from) continue;
      if (!methods.empty() && std::ranges::find(methods, call.stack.back()) == methods.end())
        continue;
      // What ended when the range begins, before anything else happened then, is not in it.
      all.push_back({thread, i, call.start, call.end, call.stack,
                     truth.callers[i] == TrueThread::kNone ? ~std::uint64_t{0} : truth.callers[i],
                     selfs[i]});
    }
  }
  return all;
}

class sliced : public testing::TestWithParam<StreamShape> {};

TEST_P(sliced, calls_are_those_of_the_streams) {
  const Traced traced({calls::random_stream(GetParam(), 3), calls::random_stream(GetParam(), 4)},
                      {.most_open = 1 << 20}, 700);
  std::mt19937_64 random(2);
  const base::Time first = traced.truth()[0].calls.front().start;
  const auto length = static_cast<std::uint64_t>(traced.truth()[0].last - first) + 1;
  for (int i = 0; i < calls::tried(40); ++i) {
    Range range;
    if (i != 0) {
      range.from = first + static_cast<base::Time>(random() % length);
      range.to = range.from + static_cast<base::Time>(random() % (i % 2 == 0 ? 1000 : length));
    }
    if (i % 3 == 1) range.threads = {1};
    ASSERT_EQ(told(traced, range, nullptr), expected(traced, range, {})) << i;
    std::vector<base::Id> ids{1 + random() % 8, 1 + random() % 8};
    MethodSet methods;
    for (std::uint32_t method = 0; method < 50; ++method)
      if (std::ranges::find(ids, traced.frames().method_id(method)) != ids.end())
        methods.push_back(method);
    ASSERT_EQ(told(traced, range, &methods), expected(traced, range, ids)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    shapes, sliced,
    testing::Values(StreamShape{.events = 20'000}, StreamShape{.events = 10'000, .depth = 200},
                    StreamShape{.events = 20'000, .depth = 12, .irregular = 20, .unwinds = 50}));

TEST(sliced, tells_how_calls_ended_as_one_call_does) {
  const Traced traced(
      {calls::random_stream({.events = 20'000, .irregular = 30, .unwinds = 80}, 5)});
  std::map<EndKind, int> hows;
  ASSERT_TRUE(scan_slices(traced.frames(), {}, nullptr, [&](const SlicePage& page) {
    for (std::size_t i = 0; i < page.calls.size(); ++i) {
      const auto call = find_call(traced.frames(), page.calls[i]);
      ASSERT_TRUE(call);
      ASSERT_EQ(call->how, page.hows[i]) << i;
      ASSERT_EQ(call->end, page.ends[i]) << i;
      ++hows[call->how];
    }
  }));
  EXPECT_EQ(hows.size(), 4U);
}

TEST(sliced, ends_when_stopped) {
  const Traced traced({calls::random_stream({.events = 1000}, 5)});
  const std::atomic<bool> stop{true};
  Range range;
  range.stop = &stop;
  EXPECT_FALSE(scan_slices(traced.frames(), range, nullptr, [](const SlicePage&) {}));
}

}  // namespace
}  // namespace polytrace::store::zooms
