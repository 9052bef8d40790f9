// SPDX-License-Identifier: Apache-2.0
// Fewer rows for want of room: sums of groups stay, and a crash between counts nothing twice.
#include "collector/thin/thinner.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "collector/aggregate/labels.hpp"
#include "collector/flow/packer.hpp"
#include "collector/outbox_ends.hpp"
#include "support/temporary_folder.hpp"
#include "warehouse/row_binary.hpp"

namespace polytrace::collector {
namespace {

using Level = Thinner::Level;
constexpr std::uint32_t kHalfPast = 1'795'696'200;

warehouse::Series process(std::uint64_t number, std::uint64_t group) {
  warehouse::Series row;
  row.series = number;
  row.service = 5;
  row.grp = group;
  row.service_name = "shop";
  row.host = "h";
  row.instance = std::to_string(number);
  row.first = row.last = kHalfPast;
  return row;
}

// Of processes 1 to 4, the last of another group: each two stacks, one of them in common.
Rows of_a_window(std::uint32_t t) {
  Rows rows;
  for (std::uint64_t number = 1; number <= 4; ++number) {
    const std::uint64_t group = number < 4 ? 70 : 71;
    rows.of<warehouse::Series>().push_back(process(number, group));
    for (const std::uint8_t stack : {std::uint8_t{9}, static_cast<std::uint8_t>(number)}) {
      warehouse::Profile10s row;
      row.service = 5;
      row.hour = t / 3600;
      row.stack[0] = static_cast<decltype(row.stack)::value_type>(stack);
      row.series = number;
      row.t = t;
      row.count = number;
      row.weight = 100 * number;
      rows.of<warehouse::Profile10s>().push_back(row);
    }
    warehouse::Health10s health;
    health.series = number;
    health.t = t;
    rows.of<warehouse::Health10s>().push_back(health);
    for (std::uint64_t method = 0; method < 3; ++method)
      rows.of<warehouse::Methods1m>().push_back({.method = method, .series = number, .t = t});
  }
  return rows;
}

struct Sums {
  std::uint64_t count = 0, weight = 0;
  void add(const warehouse::Profile10s& row) {
    count += row.count;
    weight += row.weight;
  }
  bool operator==(const Sums&) const = default;
};

std::map<std::uint64_t, Sums> by_series(const Rows& rows) {
  std::map<std::uint64_t, Sums> sums;
  for (const auto& row : rows.of<warehouse::Profile10s>()) sums[row.series].add(row);
  return sums;
}

// Of those that stand for several.
std::uint64_t series_of_group(const Rows& rows, std::uint64_t group) {
  for (const auto& row : rows.of<warehouse::Series>())
    if (row.grp == group && row.host == "(many)") return row.series;
  ADD_FAILURE() << "no series of group " << group;
  return 0;
}

TEST(thinner, methods_go_first_and_that_is_told) {
  Thinner thinner("edge.1");
  Rows rows = of_a_window(kHalfPast);
  EXPECT_EQ(thinner.thin({}, rows, Level::nothing), 0U);
  EXPECT_EQ(rows.of<warehouse::Series>().size(), 4U);
  EXPECT_EQ(thinner.thin({}, rows, Level::methods), 12U);
  EXPECT_TRUE(rows.of<warehouse::Methods1m>().empty());
  EXPECT_EQ(rows.of<warehouse::Profile10s>().size(), 8U);
  for (const auto& row : rows.of<warehouse::Health10s>()) EXPECT_EQ(row.lost, 3U);
  ASSERT_EQ(rows.of<warehouse::Series>().size(), 6U) << "a series for each group";
  for (std::size_t i = 4; i < 6; ++i) {
    const warehouse::Series& row = rows.of<warehouse::Series>()[i];
    EXPECT_EQ(row.host, "(many)");
    EXPECT_EQ(row.instance, "edge.1");
    EXPECT_EQ(std::tie(row.first, row.last), std::tuple(kHalfPast, kHalfPast));
    EXPECT_EQ(row.service_name, "shop");
  }
  EXPECT_TRUE(thinner.take_marks().empty());
}

TEST(thinner, methods_without_health_are_told_with_the_next) {
  Thinner thinner("edge.1");
  Rows rows = of_a_window(kHalfPast);
  rows.of<warehouse::Health10s>().clear();
  thinner.thin({}, rows, Level::methods);
  Rows later = of_a_window(kHalfPast + 10);
  later.of<warehouse::Methods1m>().clear();
  thinner.thin({}, later, Level::nothing);
  for (const auto& row : later.of<warehouse::Health10s>()) EXPECT_EQ(row.lost, 3U);
}

TEST(thinner, then_processes_become_their_group_and_sums_stay) {
  Thinner thinner("edge.1");
  Rows rows = of_a_window(kHalfPast);
  EXPECT_EQ(thinner.thin({}, rows, Level::processes), 12U + 2U);
  const std::uint64_t group = series_of_group(rows, 70);
  // The fourth is alone in its group, and stays what it is.
  const std::map<std::uint64_t, Sums> expected{{4, {8, 800}}, {group, {12, 1200}}};
  EXPECT_EQ(by_series(rows), expected);
  const auto marks = thinner.take_marks();
  EXPECT_EQ(marks,
            (std::vector<ThinMark>{{1, kHalfPast, 0}, {2, kHalfPast, 0}, {3, kHalfPast, 0}}));
  EXPECT_TRUE(thinner.take_marks().empty());
  // What comes later for the same window replaces nothing.
  Rows late = of_a_window(kHalfPast);
  thinner.thin({}, late, Level::processes);
  for (const auto& row : rows.of<warehouse::Profile10s>()) EXPECT_EQ(row.gen, 0);
  for (const auto& row : late.of<warehouse::Profile10s>())
    EXPECT_EQ(row.gen, row.series == group ? 1 : 0);
  // Another run of the collector is another series, another tenant's rows another group.
  Thinner other("edge.2");
  Rows again = of_a_window(kHalfPast);
  other.thin({}, again, Level::processes);
  EXPECT_NE(series_of_group(again, 70), group);
}

TEST(thinner, who_is_not_known_stays) {
  Thinner thinner("edge.1");
  Rows rows = of_a_window(kHalfPast);
  rows.of<warehouse::Series>().clear();
  const auto before = by_series(rows);
  EXPECT_EQ(thinner.thin({}, rows, Level::processes), 12U);
  EXPECT_EQ(by_series(rows), before);
  EXPECT_TRUE(rows.of<warehouse::Series>().empty());
}

TEST(thin_marks, are_there_again_but_for_batches_that_never_came) {
  const test::TemporaryFolder folder;
  const auto file = folder.file("thinned");
  const ThinMark old{1, kHalfPast - 2 * 86'400, 0};
  const ThinMark one{1, kHalfPast, 3};
  const ThinMark two{2, kHalfPast, 0};
  const ThinMark torn{3, kHalfPast, 0};
  {
    auto marks = ThinMarks::open(file, 0);
    ASSERT_TRUE(marks);
    EXPECT_TRUE(marks->empty());
    ASSERT_TRUE(marks->add(std::vector{old, one}, 7));
    ASSERT_TRUE(marks->add(std::vector{two}, 8));
    ASSERT_TRUE(marks->add(std::vector{torn}, 9));
  }
  std::ofstream(file, std::ios::app | std::ios::binary) << "torn off";
  for (int again = 0; again < 2; ++again) {
    const auto marks = ThinMarks::open(file, 9);
    ASSERT_TRUE(marks);
    EXPECT_TRUE(marks->has(one) && marks->has(two));
    EXPECT_FALSE(marks->has(torn) || marks->has(old));
    EXPECT_FALSE(marks->has({1, kHalfPast, 2}));
  }
}

// Rows that wait in the outbox, and how it came to have them.
struct Packed {
  explicit Packed(const std::string& folder)
      : outbox(*Outbox::open({.folder = folder + "/o", .bytes = 40'000, .high = 0.0})),
        marks(*ThinMarks::open(folder + "/thinned", outbox.end())),
        checkpoint(*Checkpoint::open(folder + "/k")) {}
  // At that level; packed before it returns.
  void take(Rows&& rows) {
    Packer packer(
        outbox, marks, "edge.1", 1, kEnoughBytesOfBlock, checkpoint, figures,
        [](const LogEntry&) {}, [] {});
    packer.take(std::move(rows), {});
  }
  Sums sums() {
    Sums all;
    for (const Outbox::Batch& batch : test::all_waiting(outbox)) {
      if (batch.block.table != "profile_10s") continue;
      base::Cursor in(batch.block.bytes.view(), 0);
      for (warehouse::Profile10s row; in.left() != 0 && warehouse::read_row(in, row);) all.add(row);
    }
    return all;
  }

  Outbox outbox;
  ThinMarks marks;
  Checkpoint checkpoint;
  Figures figures;
};

// Half full, so that processes become groups; then killed, and all is computed again.
TEST(packer, what_became_a_group_before_a_crash_is_not_sent_again) {
  const test::TemporaryFolder folder;
  Sums ballast;
  {
    Packed packed(folder.file("c"));
    for (std::uint32_t i = 0; !packed.outbox.over_most(); ++i) {
      Rows rows;
      for (std::uint64_t series = 100; series < 400; ++series) {
        warehouse::Profile10s row;
        row.series = row.weight = series * 0x9e3779b97f4a7c15U;
        row.t = kHalfPast + 10 * i;
        rows.of<warehouse::Profile10s>().push_back(row);
      }
      packed.take(std::move(rows));
    }
    ballast = packed.sums();
    packed.take(of_a_window(kHalfPast));
    EXPECT_EQ(packed.sums(), (Sums{ballast.count + 20, ballast.weight + 2000}));
    EXPECT_GE(packed.figures.rows_thinned_total, 14U);
  }
  Packed again(folder.file("c"));
  const std::uint64_t had = again.outbox.end();
  again.take(of_a_window(kHalfPast));
  // The fourth is alone in its group: its rows replace themselves.
  EXPECT_GT(again.outbox.end(), had);
  EXPECT_EQ(again.sums(), (Sums{ballast.count + 20 + 8, ballast.weight + 2000 + 800}));
}

}  // namespace
}  // namespace polytrace::collector
