// SPDX-License-Identifier: Apache-2.0
#include "slice/spans.hpp"

#include <gtest/gtest.h>

namespace polytrace::slice {
namespace {

struct Named {
  int subject;
  base::Time start;
};

TEST(spans, an_end_is_that_of_the_innermost_with_its_subject) {
  NestedSpans<Named> spans;
  for (const auto& [subject, start] : {Named{1, 10}, Named{2, 20}, Named{1, 30}, Named{3, 40}})
    EXPECT_TRUE(spans.begin({subject, start}));
  EXPECT_FALSE(spans.end(4));
  EXPECT_EQ(spans.end(1)->start, 30);  // 3 inside of it never ended
  EXPECT_FALSE(spans.end(3));
  EXPECT_EQ(spans.end(1)->start, 10);
  EXPECT_TRUE(spans.empty());
}

TEST(spans, do_not_nest_for_ever) {
  NestedSpans<Named> spans;
  int depth = 0;
  while (spans.begin({depth, depth})) ++depth;
  EXPECT_FALSE(spans.end(depth));
  EXPECT_EQ(spans.end(0)->start, 0);
  EXPECT_TRUE(spans.empty());
}

TEST(spans, one_at_a_time_begins_anew_with_its_second_start) {
  LoneSpan span;
  EXPECT_EQ(span.end(), base::kNoTime);
  span.begin(1);
  span.begin(2);
  EXPECT_TRUE(span.is_open());
  EXPECT_EQ(span.end(), 2);
  EXPECT_EQ(span.end(), base::kNoTime);
}

TEST(spans, events_tell_what_they_begin_and_end) {
  event::Batch batch;
  const std::uint16_t thread = batch.thread_slot(1);
  batch.add(1, thread, 7, event::Monitor{.stage = event::MonitorStage::contended});
  batch.add(2, thread, 7, event::Monitor{.stage = event::MonitorStage::failed});
  batch.add(3, thread, 8, event::Jit{.stage = event::JitStage::freed});
  batch.add(4, thread, 9, event::Finalize{.stage = event::FinalizeStage::object_end});
  batch.add(5, thread, 9, event::Throw{});
  const auto edge = [&](std::size_t event) { return span_edge(batch, batch.events[event]); };
  EXPECT_TRUE(edge(0)->begins());
  EXPECT_EQ(edge(0)->kind, SpanKind::lock);
  EXPECT_EQ(edge(0)->subject, 7U);
  EXPECT_TRUE(edge(1)->fails());
  EXPECT_FALSE(edge(2));
  EXPECT_EQ(edge(3)->kind, SpanKind::finalizer);
  EXPECT_FALSE(edge(3)->begins());
  EXPECT_FALSE(edge(4));
}

}  // namespace
}  // namespace polytrace::slice
