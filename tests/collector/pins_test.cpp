// SPDX-License-Identifier: Apache-2.0
#include "collector/objects/pins.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <fstream>
#include <optional>

#include "analysis/asked.hpp"
#include "collector/aggregate/windows.hpp"
#include "collector/keep/spool_look.hpp"
#include "collector/streams.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::collector {
namespace {

namespace fs = std::filesystem;
using U = std::uint64_t;

constexpr U kPinnedStream = 0xabc;
constexpr Time kBegin = 1'795'651'200 * kSecond;  // wall time of the first window

Rule waiting_rule(std::string name, U per_hour) {
  return {.name = std::move(name),
          .when = "waits > 5",
          .test = parse_comparison("waits > 5").value(),
          .around = std::chrono::seconds(20),
          .per_hour = per_hour};
}

// A spool with one stream of 40 blocks, a file for each few, each block a second of wall time; and
// what rules keep of it.
class PinsOfStream {
 public:
  PinsOfStream() {
    spool_.emplace(
        Spool::open({.folder = raw(), .bytes = 1 << 20, .min_free = 0, .file_bytes = 2000})
            .value());
    event::Batch batch;
    event::Clock clock;
    clock.wall = kBegin;
    test::Stream events(batch, kPinnedStream);
    events.add(0, base::kNoId, clock);
    for (U i = 0; i < 160; ++i)
      events.add(static_cast<Time>(i * kSecond / 4), 1 + i % 30, event::Enter{});
    for (const test::OwnBlock& block :
         test::blocks_in(test::native_stream(kPinnedStream, batch, 4)))
      if (spool_->append(kPinnedStream, block.view()).value_or(false)) ++blocks_;
    EXPECT_TRUE(spool_->sync());
  }

  fs::path folder() const { return folder_.file("state"); }
  fs::path raw() const { return folder_.file("state/raw"); }
  fs::path pinned() const { return folder_.file("state/pinned"); }
  std::string objects() {
    fs::create_directories(folder_.file("objects"));
    return "folder:" + folder_.file("objects");
  }

  Pins& open(std::vector<Rule> rules, const std::string& to = {}, U bytes = 1 << 20) {
    pins_.reset();
    PinsOptions options{.sender = {.folder = folder(), .edge = "e", .objects = {.to = to}},
                        .rules = std::move(rules),
                        .bytes = bytes};
    PinSender::Hands hands{.rows =
                               [this](Rows&& rows, const std::string& database) {
                                 const std::scoped_lock lock(mutex_);
                                 EXPECT_EQ(database, "shop");
                                 for (const auto& row : rows.of<warehouse::Trace>())
                                   rows_.push_back(row);
                                 come_.notify_all();
                                 return base::result<void>();
                               },
                           .done = {},
                           .tell = [](bool, U, const std::string&) {}};
    auto opened = Pins::open(std::move(options), *spool_, std::move(hands));
    EXPECT_TRUE(opened) << (opened ? "" : base::to_text(opened.error()));
    pins_ = std::move(*opened);
    return *pins_;
  }
  // The window that many seconds after the first has so many waits.
  void look(PinWatch& watch, U second, U waits) {
    warehouse::Health10s row;
    row.t = static_cast<std::uint32_t>(kBegin / kSecond + static_cast<Time>(second));
    row.series = 77;
    row.waits = static_cast<std::uint32_t>(waits);
    pins_->look(watch, kPinnedStream, row, kBegin,
                [] { return Pins::Whose{"cart", "..", "shop"}; });
  }
  // Blocks up to that one have come, each a second.
  void come_to(PinWatch& watch, U block) {
    for (U i = at_; i <= block; ++i)
      pins_->note(watch, kPinnedStream, i, kBegin + static_cast<Time>(i) * kSecond);
    at_ = block + 1;
  }
  std::vector<warehouse::Trace> rows(std::size_t count) {
    std::unique_lock lock(mutex_);
    come_.wait_for(lock, std::chrono::seconds(150), [&] { return rows_.size() >= count; });
    return rows_;
  }
  // Of an object, once there is one.
  warehouse::Trace object_row() {
    const auto is_of_object = [](const warehouse::Trace& row) { return row.version == 2; };
    std::unique_lock lock(mutex_);
    come_.wait_for(lock, std::chrono::seconds(150),
                   [&] { return std::ranges::any_of(rows_, is_of_object); });
    const auto found = std::ranges::find_if(rows_, is_of_object);
    return found == rows_.end() ? warehouse::Trace{} : *found;
  }
  std::size_t links() const {
    const fs::directory_iterator all(pinned());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
  Pins& pins() { return *pins_; }
  void stop() { pins_.reset(); }

 private:
  test::TemporaryFolder folder_;
  std::optional<Spool> spool_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::vector<warehouse::Trace> rows_;
  std::unique_ptr<Pins> pins_;
  U blocks_ = 0;
  U at_ = 0;
};

TEST(pins, a_window_is_kept_once_the_stream_has_passed_it) {
  PinsOfStream own;
  own.open({waiting_rule("waits", 2)});
  PinWatch watch;
  own.pins().begin(watch, kPinnedStream, 0);
  own.come_to(watch, 24);
  own.look(watch, 10, 5);
  EXPECT_EQ(own.pins().figures().kept, 0U);
  own.look(watch, 10, 6);
  own.look(watch, 10, 6);  // made again: it is the same one
  EXPECT_EQ(own.pins().figures().kept, 1U);
  EXPECT_GT(own.links(), 0U);
  EXPECT_TRUE(own.pins().holds(kPinnedStream));
  EXPECT_FALSE(own.pins().holds(kPinnedStream + 1));
  own.come_to(watch, 31);
  EXPECT_EQ(own.pins().sender().waiting(), 0U);
  own.come_to(watch, 32);  // 10 s of window, 10 s behind, 2 s for late events
  const auto rows = own.rows(1);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].first_block, 0U);
  EXPECT_EQ(rows[0].last_block, 32U);
  EXPECT_EQ(rows[0].place, "edge:e");
  EXPECT_EQ(rows[0].why, "waits");
  EXPECT_EQ(rows[0].series, 77U);
  EXPECT_GT(rows[0].events, 100U);
}

TEST(pins, blocks_that_the_ring_has_dropped_are_there) {
  PinsOfStream own;
  own.open({waiting_rule("waits", 2)});
  PinWatch watch;
  own.pins().begin(watch, kPinnedStream, 0);
  own.come_to(watch, 24);
  own.look(watch, 10, 6);
  own.come_to(watch, 40);
  own.rows(1);
  for (const auto& file : fs::directory_iterator(own.raw())) fs::remove(file.path());
  const auto looked = look_into_spool(own.raw(), own.pinned(), kPinnedStream, 0, 32, 1 << 20);
  ASSERT_TRUE(looked);
  EXPECT_EQ(looked->blocks.size(), 33U);
}

TEST(pins, an_object_has_the_window_and_nothing_is_held_then) {
  PinsOfStream own;
  const std::string to = own.objects();
  own.open({waiting_rule("waits", 2)}, to);
  PinWatch watch;
  own.pins().begin(watch, kPinnedStream, 0);
  own.come_to(watch, 24);
  own.look(watch, 10, 6);
  own.come_to(watch, 40);
  const auto rows = own.rows(2);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].place, "_./2026-11-26/cart/0000000000000abc/0-32.ptrace.zst");
  EXPECT_GT(rows[1].version, rows[0].version);
  EXPECT_TRUE(fs::exists(to.substr(7) + "/" + rows[1].place));
  own.stop();  // its thread is done
  EXPECT_EQ(own.links(), 0U);
}

TEST(pins, what_waits_goes_on_in_the_next_process) {
  PinsOfStream own;
  {
    own.open({waiting_rule("waits", 2)}, "folder:/nowhere/at/all");
    PinWatch watch;
    own.pins().begin(watch, kPinnedStream, 0);
    own.come_to(watch, 24);
    own.look(watch, 10, 6);
    own.stop();  // while it is open
  }
  own.open({waiting_rule("waits", 2)}, "folder:/nowhere/at/all");
  EXPECT_GT(own.links(), 0U);
  PinWatch watch;
  own.pins().begin(watch, kPinnedStream, 20);
  own.look(watch, 10, 6);  // its rows are made again
  EXPECT_EQ(own.pins().figures().kept, 0U);
  own.come_to(watch, 33);
  own.rows(1);
  own.stop();  // while no object can be written
  EXPECT_GT(own.links(), 0U);
  own.open({}, own.objects());
  const warehouse::Trace row = own.object_row();
  EXPECT_EQ(row.first_block, own.rows(1)[0].first_block);
  EXPECT_EQ(row.last_block, 32U);
  EXPECT_EQ(row.digest, own.rows(1)[0].digest);
}

TEST(pins, more_than_so_many_an_hour_are_counted_and_told_once) {
  PinsOfStream own;
  own.open({waiting_rule("one", 1), waiting_rule("two", 2)});
  PinWatch watch;
  own.pins().begin(watch, kPinnedStream, 0);
  own.come_to(watch, 39);
  own.look(watch, 0, 6);
  own.look(watch, 100, 6);
  own.look(watch, 200, 6);
  own.look(watch, 300, 6);
  EXPECT_EQ(own.pins().figures().kept, 2U);
  EXPECT_EQ(own.pins().figures().refused, 3U + 2U);
  const auto rows = own.rows(2);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].place, "nowhere: more than 1 an hour");
  EXPECT_EQ(rows[0].why, "one");
  EXPECT_EQ(rows[1].place, "nowhere: more than 2 an hour");
  own.look(watch, 3700, 6);  // another hour
  EXPECT_EQ(own.pins().figures().kept, 3U);
}

TEST(pins, a_window_inside_of_what_is_kept_needs_no_second_one) {
  PinsOfStream own;
  own.open({waiting_rule("waits", 5)});
  PinWatch watch;
  own.pins().begin(watch, kPinnedStream, 0);
  own.look(watch, 20, 6);
  own.look(watch, 30, 6);  // the window from 10 to 40 has it
  own.look(watch, 40, 6);
  EXPECT_EQ(own.pins().figures().kept, 2U);
  EXPECT_EQ(own.pins().figures().refused, 0U);
}

TEST(pins, what_there_is_no_room_for_is_counted) {
  PinsOfStream own;
  own.open({waiting_rule("waits", 5)}, {}, 100);
  PinWatch watch;
  own.pins().begin(watch, kPinnedStream, 0);
  own.come_to(watch, 24);
  own.look(watch, 10, 6);
  EXPECT_EQ(own.pins().figures().kept, 0U);
  EXPECT_EQ(own.pins().figures().refused, 1U);
  EXPECT_EQ(own.links(), 0U);
  EXPECT_EQ(own.rows(1)[0].place.substr(0, 9), "nowhere: ");
}

TEST(pins, who_says_nothing_is_not_waited_for_forever) {
  PinsOfStream own;
  own.open({waiting_rule("waits", 5)});
  PinWatch watch;
  own.pins().begin(watch, kPinnedStream, 0);
  own.come_to(watch, 24);
  own.look(watch, 10, 6);
  own.pins().look_around(kBegin + 60 * kSecond);
  EXPECT_EQ(own.pins().sender().waiting(), 0U);
  own.pins().look_around(kBegin + 71 * kSecond);
  EXPECT_GE(own.rows(1)[0].last_block, 39U);
}

TEST(pins, notes_that_are_damaged_are_passed_over) {
  PinsOfStream own;
  own.open({waiting_rule("waits", 5)});
  PinWatch watch;
  own.pins().begin(watch, kPinnedStream, 0);
  own.come_to(watch, 24);
  own.look(watch, 10, 6);
  own.stop();
  for (const auto& file : fs::directory_iterator(own.folder() / "pins")) {
    const std::string good = test::content_of(file.path());
    for (std::size_t cut = 0; cut + 1 < good.size(); ++cut) {
      std::ofstream(file.path(), std::ios::binary) << good.substr(0, cut);
      EXPECT_TRUE(PinBook::open(own.folder() / "pins")->all().empty()) << cut;
    }
    std::ofstream(file.path(), std::ios::binary) << good;
    EXPECT_EQ(PinBook::open(own.folder() / "pins")->all().size(), 1U);
  }
}

TEST(pin_watch, a_time_is_in_its_first_block_or_behind) {
  PinWatch watch;
  watch.begin(90);
  EXPECT_EQ(watch.first_of(0), 40U);
  for (U block = 100; block < 1000; ++block)
    watch.note(block, static_cast<Time>(block) * kSecond / 3, 100 * kSecond);
  for (U block = 800; block < 1000; ++block) {
    const Time wall = static_cast<Time>(block) * kSecond / 3;
    EXPECT_LE(watch.first_of(wall), block);
    EXPECT_GE(watch.first_of(wall) + 4, block);
  }
  EXPECT_LT(watch.first_of(0), 700U);
}

}  // namespace
}  // namespace polytrace::collector
