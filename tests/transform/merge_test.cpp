// SPDX-License-Identifier: Apache-2.0
#include "transform/merge.hpp"

#include <map>
#include <set>

#include "base/codes.hpp"
#include "event/copy.hpp"
#include "support/compare.hpp"
#include "support/random.hpp"
#include "transform/ids.hpp"
#include "transform/lines.hpp"

namespace polytrace::transform {
namespace {

using base::Id;
using test::Lines;

class NoSource final : public base::Source {
 public:
  base::result<std::size_t> read(std::span<std::byte>) override { return std::size_t{0}; }
};

// Gives the lines as events, some per batch.
class LineReader final : public event::Reader {
 public:
  LineReader(Lines lines, std::size_t per_batch) : lines_(std::move(lines)), size_(per_batch) {}

  std::string version() const override { return "lines"; }
  base::result<bool> fetch(event::Chunk& chunk) override {
    chunk.sequence = next_++;
    return chunk.sequence * size_ < lines_.size();
  }
  void decode(const event::Chunk& chunk, event::Batch& batch) const override {
    batch.clear();
    const std::size_t begin = chunk.sequence * size_;
    for (std::size_t i = begin; i < std::min(begin + size_, lines_.size()); ++i)
      ASSERT_TRUE(event::parse_text(lines_[i], batch)) << lines_[i];
    batch.tally.frames = 1;
    if (begin == 0) batch.notices.add(base::Code::padding, {.offset = 3, .frame = "frame 0"}, 0);
  }
  const base::Notices& notices() const override { return notices_; }
  const base::Source& source() const override { return source_; }

 private:
  Lines lines_;
  std::size_t size_;
  std::uint64_t next_ = 0;
  base::Notices notices_;
  NoSource source_;
};

TraceFacts facts_of(const Lines& lines) {
  LineReader reader(lines, 100);
  TraceSurvey survey;
  event::pump(reader, survey, {.workers = 2});
  return survey.take();
}

struct Merged {
  Lines lines;
  event::PumpOutcome outcome;
};

class Keeper final : public event::Consumer {
 public:
  explicit Keeper(Lines& lines) : lines_(lines) {}
  bool consume(const event::Batch& batch) override {
    for (std::string& line : test::lines_of(batch)) lines_.push_back(std::move(line));
    return true;
  }

 private:
  Lines& lines_;
};

Merged merge(const std::vector<Lines>& traces, std::vector<base::Duration> offsets = {},
             std::size_t per_batch = 3) {
  static constexpr const char* kLabels[] = {"a", "b", "c"};
  std::vector<TraceFacts> facts;
  for (const Lines& lines : traces) facts.push_back(facts_of(lines));
  offsets.resize(traces.size());
  const auto places = place(facts, offsets);
  std::vector<MergeInput> inputs;
  for (std::size_t i = 0; i < traces.size(); ++i)
    inputs.push_back({std::make_unique<LineReader>(traces[i], per_batch), kLabels[i], places[i]});
  MergedReader reader(std::move(inputs));
  Merged merged;
  Keeper keeper(merged.lines);
  merged.outcome = event::pump(reader, keeper, {.workers = 2});
  return merged;
}

Lines random_lines(event::u64 seed, int count) {
  polytrace::test::RandomEvents random(seed);
  event::Batch batch;
  while (static_cast<int>(batch.events.size()) < count) {
    const auto kind = static_cast<event::Kind>(random.below(event::kKindCount));
    if (kind != event::Kind::Clock && kind != event::Kind::Process) random.add(batch, kind);
  }
  return test::lines_of(batch);
}

// What a line says apart from its ids and times.
std::string kind_of(const std::string& line) {
  const std::size_t thread = line.find(' ') + 1;
  const std::size_t kind = line.find(' ', thread) + 1;
  return line.substr(kind, line.find(' ', kind) - kind);
}

std::map<std::string, int> kinds(const Lines& lines) {
  std::map<std::string, int> counts;
  for (const std::string& line : lines) ++counts[kind_of(line)];
  return counts;
}

TEST(merge, of_one_trace_is_that_trace) {
  Lines lines = random_lines(1, 5000);
  lines.insert(lines.begin(), {"7 - process pid=0x1", "7 - clock wall=1000"});
  EXPECT_EQ(merge({lines}).lines, lines);
}

TEST(merge, counts_add_up) {
  const Lines a = random_lines(1, 3000), b = random_lines(2, 3000), c = random_lines(3, 3000);
  auto expected = kinds(a);
  for (const Lines& lines : {b, c}) {
    for (const auto& [kind, count] : kinds(lines)) expected[kind] += count;
  }
  expected["process"] += 3;
  const Merged merged = merge({a, b, c});
  EXPECT_EQ(kinds(merged.lines), expected);
  EXPECT_EQ(merged.outcome.tally.frames, 3000U);
}

TEST(merge, orders_by_time_on_the_clock_of_the_first_with_wall_time) {
  const Lines a{"100 - clock wall=5000", "110 0x1 note", "130 0x1 note"};
  const Lines b{"3 - clock wall=5000 overhead=7", "18 0x1 sync", "28 0x1 sync"};
  EXPECT_EQ(merge({a, b}).lines,
            (Lines{"100 - clock wall=5000", "110 - process name=\"a\"", "115 - process name=\"b\"",
                   "110 0x1 note", "115 0x1000000000001 sync sync=periodic",
                   "125 0x1000000000001 sync sync=periodic", "130 0x1 note"}));
}

TEST(merge, without_wall_time_a_trace_begins_with_the_earliest_event) {
  const Lines a{"1000 0x1 note", "1010 0x1 note"};
  const Lines b{"100 - clock wall=5000", "110 0x1 sync", "115 0x1 sync"};
  const Lines merged = merge({a, b}).lines;
  EXPECT_EQ(merged[0], "100 - clock wall=5000");
  EXPECT_EQ(Lines(merged.begin() + 3, merged.end()),
            (Lines{"110 0x1 note", "110 0x1000000000001 sync sync=periodic",
                   "115 0x1000000000001 sync sync=periodic", "120 0x1 note"}));
}

TEST(merge, offsets_move_events_and_times_they_tell) {
  const Lines a{"100 - clock wall=5000", "110 0x1 note"};
  const Lines b{"100 - clock wall=5000", "110 0x1 lost records=1 from=105 to=109"};
  const Lines merged = merge({a, b}, {5, -20}).lines;
  EXPECT_EQ(merged[0], "100 - clock wall=5000");
  EXPECT_EQ(Lines(merged.begin() + 3, merged.end()),
            (Lines{"90 0x1000000000001 lost records=1 from=85 to=89", "115 0x1 note"}));
}

TEST(merge, order_of_an_input_stays) {
  const Lines a{"10 0x1 note", "5 0x1 note", "11 0x1 note"};
  const Lines b{"6 0x1 sync", "10 0x1 sync"};
  const Lines merged = merge({a, b}, {0, 6}).lines;  // b begins at 5, then 6 later
  EXPECT_EQ(
      Lines(merged.begin() + 2, merged.end()),
      (Lines{"10 0x1 note", "5 0x1 note", "11 0x1 note", "11 0x1000000000001 sync sync=periodic",
             "15 0x1000000000001 sync sync=periodic"}));
}

TEST(merge, says_what_came_from_where) {
  const Lines a{"1 - process pid=0x1 name=\"shop\"",
                "2 0x1 thread thread=0x1 life=name name=\"Main\""};
  const Lines b{"1 - process pid=0x1 pointer_size=4", "2 0x1 thread thread=0x1 life=name"};
  const Merged merged = merge({a, b});
  EXPECT_EQ(merged.lines, (Lines{"1 - process pid=0x1 name=\"shop\"",
                                 "1 - process pid=0x1 name=\"b\" pointer_size=8",
                                 "2 0x1 thread thread=0x1 life=name name=\"a: Main\"",
                                 "2 0x1000000000001 thread thread=0x1000000000001 life=name"}));
  const base::Notice* notice = merged.outcome.notices.find(base::Code::padding);
  ASSERT_NE(notice, nullptr);
  EXPECT_EQ(notice->count, 2U);
  EXPECT_EQ(notice->first.frame, "a frame 0");
  EXPECT_EQ(notice->others.at(0).place.frame, "b frame 0");
}

TEST(merge, ids_go_together_wherever_they_stand) {
  const Lines a{"1 0x1 sync"};
  const Lines b{"1 0x2 method method=0x3 class_id=0x4 code=0x0",
                "1 0x2 sample thread=0x2 mode=cpu stack=[0x3@il:1+ip:0x9] natives=[0x5]",
                "1 0x2 dump_object object=0x6 class_id=0x4 refs=[8:0x6]",
                "1 0x2 domain domain=0x0 life=begin", "1 - alloc class=0x0 object=0x0 size=3"};
  const Lines merged = merge({a, b}).lines;
  EXPECT_EQ(
      Lines(merged.begin() + 3, merged.end()),
      (Lines{"1 0x1000000000002 method method=0x1000000000003 class_id=0x1000000000004 code=0x0",
             "1 0x1000000000002 sample thread=0x1000000000002 mode=cpu "
             "stack=[0x1000000000003@il:1+ip:0x1000000000009] natives=[0x1000000000005]",
             "1 0x1000000000002 dump_object object=0x1000000000006 class_id=0x1000000000004 "
             "refs=[8:0x1000000000006]",
             "1 0x1000000000002 domain domain=0x1000000000000 life=begin",
             "1 - alloc class=0x1000000000000 object=0x0 size=3"}));
}

// All ids of the traces behind a merge, by trace.
std::vector<std::set<Id>> ids_of(const std::vector<Lines>& traces, std::vector<Placement>& places) {
  std::vector<TraceFacts> facts;
  for (const Lines& lines : traces) facts.push_back(facts_of(lines));
  places = place(facts, std::vector<base::Duration>(traces.size()));
  std::vector<std::set<Id>> all(traces.size());
  for (std::size_t i = 0; i < traces.size(); ++i) {
    event::Batch batch;
    test::parse(batch, traces[i]);
    for_each_id(batch, [&](Id& id) { all[i].insert(id ^ places[i].tag); });
  }
  return all;
}

TEST(merge_plan, ids_of_a_merged_trace_stay_apart_too) {
  std::vector<Placement> places;
  const Lines merged{"1 0x5 note", "1 0x1000000000005 note", "1 0xffff800000000000 note"};
  const auto ids = ids_of({merged, {"1 0x5 note"}, merged}, places);
  EXPECT_EQ(places[0].tag, 0U);
  std::set<Id> all;
  for (const auto& some : ids) all.insert(some.begin(), some.end());
  EXPECT_EQ(all.size(), 7U);
  EXPECT_FALSE(all.contains(0));
  EXPECT_FALSE(all.contains(base::kNoId));
}

TEST(merge_plan, random_ids_stay_apart) {
  std::vector<Placement> places;
  const auto ids = ids_of({random_lines(5, 4000), random_lines(6, 4000)}, places);
  ASSERT_GT(ids[0].size(), 1000U);
  for (const Id id : ids[1]) EXPECT_FALSE(ids[0].contains(id)) << id;
}

TEST(merge_plan, times_stop_at_the_ends_of_the_clock) {
  EXPECT_EQ(shifted(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(shifted(INT64_MIN + 2, -5), INT64_MIN + 1);
  EXPECT_EQ(shifted(-5, 7), 2);
}

}  // namespace
}  // namespace polytrace::transform
