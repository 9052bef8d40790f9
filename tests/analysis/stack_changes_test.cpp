// SPDX-License-Identifier: Apache-2.0
// Calls out of changed stacks: the time between two changes is the earlier stack's, without pauses.
#include "slice/stack_changes.hpp"

#include "analysis/calls/calls.hpp"
#include "asked.hpp"

namespace polytrace::test {
namespace {

class Log {
 public:
  Log() {
    batch_.thread_slot(kMain);
    event::Setting mode;
    mode.key = "CollectionMethod", mode.value = "Instrumentation";
    batch_.add(0, 0, base::kNoId, mode);
    for (const char* const name : {"A", "B", "C"}) {
      event::Method method;
      method.name = name;
      batch_.add(0, 0, ++methods_, method);
    }
  }
  Log& stack(base::Time time, std::initializer_list<base::Id> frames) {
    event::Sample sample;
    sample.mode = event::SampleMode::change;
    sample.stack.first = static_cast<std::uint32_t>(batch_.frames.size());
    sample.stack.count = static_cast<std::uint32_t>(frames.size());
    batch_.frames.insert(batch_.frames.end(), frames);
    batch_.add(time, 0, kMain, sample);
    return *this;
  }
  Log& recording(base::Time time, event::RecordingStage stage) {
    event::Recording recording;
    recording.stage = stage;
    batch_.add(time, 0, base::kNoId, recording);
    return *this;
  }
  Table methods() {
    // Other events behind the last change charge nothing.
    batch_.add_plain(1000, 0, base::kNoId, event::Kind::Cpu);
    Asked asked(std::make_unique<analysis::Calls>(slice::Selection{}, nullptr));
    return asked.feed(batch_).finish().table("methods");
  }

 private:
  base::Id methods_ = 0;
  event::Batch batch_;
};

using Figures = std::vector<std::uint64_t>;

// Of a method: calls, own time, time with callees.
Figures figures(const Table& table, std::string_view method) {
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    if (text(table, row, "method") == method)
      return {number(table, row, "calls"), number(table, row, "self"),
              number(table, row, "elapsed")};
  return {};
}

TEST(stack_changes, time_is_that_of_the_earlier_stack) {
  Log log;
  log.stack(10, {1}).stack(20, {1, 2}).stack(50, {1, 2, 3}).stack(60, {1}).stack(65, {1, 2});
  const Table table = log.stack(70, {}).methods();
  EXPECT_EQ(figures(table, "A"), (Figures{1, 15, 60}));
  EXPECT_EQ(figures(table, "B"), (Figures{2, 35, 45}));
  EXPECT_EQ(figures(table, "C"), (Figures{1, 10, 10}));
}

TEST(stack_changes, nothing_is_charged_behind_the_last_change) {
  EXPECT_EQ(figures(Log().stack(10, {1}).stack(30, {1, 2}).methods(), "A"), (Figures{1, 20, 20}));
}

TEST(stack_changes, pauses_belong_to_nobody) {
  using enum event::RecordingStage;
  Log log;
  log.stack(10, {1}).recording(20, pause).stack(30, {1, 2}).recording(100, resume).stack(110, {});
  const Table table = log.methods();
  EXPECT_EQ(figures(table, "A"), (Figures{2, 10, 20}));
  EXPECT_EQ(figures(table, "B"), (Figures{1, 10, 10}));
}

}  // namespace
}  // namespace polytrace::test
