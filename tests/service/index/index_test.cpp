// SPDX-License-Identifier: Apache-2.0
// Indexes as the service makes, finds, judges and removes them. What answers say is the same with
// and without them, tests/cli/index_answers.py proves for every sample.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/codes.hpp"
#include "service/ask/report.hpp"
#include "service/example.hpp"
#include "service/index/build.hpp"
#include "service/index/cache.hpp"
#include "service/index/ready_index.hpp"
#include "store/source/page_file.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::service::test {
namespace {

namespace fs = std::filesystem;
using base::Code;
using polytrace::test::TemporaryFolder;

// A cache of its own, and a copy of the example, as long as a test lasts.
class kept_index : public testing::Test {
 protected:
  kept_index() : trace(folder.file("app.mlpd")) {
    setenv("POLYTRACE_CACHE", folder.file("cache").c_str(), 1);
    unsetenv("POLYTRACE_CACHE_LIMIT");
    fs::copy_file(example(), trace);
  }
  ~kept_index() override { unsetenv("POLYTRACE_CACHE"); }

  static IndexOptions offered(const std::string& at = {}) {
    return {.offered = true, .folder = at};
  }
  Asked<BuiltIndex> build(const std::string& at = {}) const {
    return build_index(Input({.file = trace, .index = {.folder = at}}));
  }
  std::string report(InputOptions options) const {
    options.file = trace;
    Input input(std::move(options));
    const auto answer = ask_report(input, {.table = {.sort = {}, .limit = 0}});
    return answer ? report_json(*answer) : base::to_text(answer.error().error);
  }
  IndexStanding standing(const std::string& at = {}) const {
    return find_index(trace, at)->standing;
  }
  void flip(const std::string& file, std::streamoff at) const {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(at);
    const int byte = bytes.get();
    bytes.seekp(at);
    bytes.put(static_cast<char>(byte ^ 1));
  }

  TemporaryFolder folder;
  std::string trace;
};

TEST_F(kept_index, are_used_only_where_they_are_offered_and_give_what_the_trace_gives) {
  ASSERT_TRUE(build());
  EXPECT_EQ(standing(), IndexStanding::current);
  EXPECT_TRUE(Input({.file = trace, .index = offered()}).open_index());
  EXPECT_FALSE(Input({.file = trace}).open_index());
  EXPECT_FALSE(Input({.file = trace, .index = {.offered = true, .none = true}}).open_index());
  EXPECT_FALSE(Input({.file = trace, .follow = true, .index = offered()}).open_index());
  EXPECT_FALSE(Input({.file = trace, .resync = true, .index = offered()}).open_index());
  EXPECT_FALSE(Input({.file = trace, .strict = true, .index = offered()}).open_index());
  EXPECT_FALSE(Input({.file = trace, .segments = "x", .index = offered()}).open_index());
  EXPECT_EQ(report({.index = offered()}), report({}));
}

TEST_F(kept_index, tally_and_notices_are_those_of_the_trace) {
  trace = recording("mlpd/truncated.mlpd");
  ASSERT_TRUE(build());
  const Input with({.file = trace, .index = offered()});
  const Input without({.file = trace});
  std::vector<Passed> both;
  for (const Input* input : {&with, &without}) {
    auto opened = input->open();
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->reader->version(), without.open()->reader->version());
    event::Consumer nobody;
    both.push_back(pass(*input, *opened->reader, nobody));
  }
  EXPECT_NE(both[0].worst(), 0);
  EXPECT_EQ(both[0].worst(), both[1].worst());
  EXPECT_EQ(both[0].bytes_lost(), both[1].bytes_lost());
  ASSERT_EQ(both[0].notices.size(), both[1].notices.size());
  const event::Tally &a = both[0].outcome.tally, &b = both[1].outcome.tally;
  EXPECT_EQ(a.frames, b.frames);
  for (std::size_t i = 0; i < a.records.size(); ++i) {
    EXPECT_EQ(a.records[i].count, b.records[i].count);
    EXPECT_EQ(a.records[i].bytes, b.records[i].bytes);
  }
}

TEST_F(kept_index, a_second_build_does_nothing) {
  const auto first = build();
  const auto second = build();
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->was_current);
  EXPECT_TRUE(second->was_current);
  EXPECT_EQ(first->account.totals.events, second->account.totals.events);
  EXPECT_GT(first->account.totals.events, 0U);
}

TEST_F(kept_index, any_damaged_frame_is_seen_before_anything_is_answered) {
  ASSERT_TRUE(build());
  const auto whole = find_index(trace, {});
  const std::string file = whole->place.file();
  const std::string expected = report({});
  for (const store::Entry& entry : whole->view->entries()) {
    const auto at = static_cast<std::streamoff>(entry.offset + base::kFrameHeadSize + 1);
    flip(file, at);
    EXPECT_EQ(standing(), IndexStanding::damaged) << entry.offset;
    EXPECT_FALSE(verify_index(trace, {}, Verifying::checksums)->is_whole());
    flip(file, at);
  }
  EXPECT_EQ(standing(), IndexStanding::current);
  flip(file, static_cast<std::streamoff>(whole->view->entries().front().offset + 30));
  const auto told = parsed(report({.index = offered()}));
  EXPECT_EQ(told["notices"][0]["code"], "index-damaged");
  EXPECT_EQ(told["tables"], parsed(expected)["tables"]);
  EXPECT_EQ(told["partial"], false);
  EXPECT_FALSE(build()->was_current);
  EXPECT_EQ(report({.index = offered()}), expected);
}

TEST_F(kept_index, one_of_another_trace_is_stale_and_made_anew) {
  const std::string place = folder.file("own");
  ASSERT_TRUE(build(place));
  std::ofstream(trace, std::ios::app) << "more";
  EXPECT_EQ(standing(place), IndexStanding::stale);
  EXPECT_EQ(standing(), IndexStanding::none);
  const auto told = parsed(report({.index = offered(place)}));
  EXPECT_EQ(told["notices"][0]["code"], "index-stale");
  const auto again = build(place);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->replaced->code, Code::index_stale);
  EXPECT_EQ(standing(place), IndexStanding::current);
}

TEST_F(kept_index, a_stopped_build_leaves_nothing_that_is_used) {
  const auto built = build_index(Input({.file = trace}, stopped()));
  ASSERT_TRUE(built);
  EXPECT_FALSE(built->written);
  EXPECT_NE(standing(), IndexStanding::current);
  EXPECT_FALSE(open_if_current(trace, {}).index);
  EXPECT_TRUE(build()->written);
}

TEST_F(kept_index, who_uses_one_keeps_it) {
  ASSERT_TRUE(build());
  {
    const Input input({.file = trace, .index = offered()});
    ASSERT_TRUE(input.open_index());
    const auto dropped = drop_index(trace, {});
    ASSERT_FALSE(dropped);
    EXPECT_EQ(dropped.error().error.code, Code::index_busy);
    EXPECT_TRUE(prune_indexes("0")->gone.empty());
  }
  EXPECT_EQ(prune_indexes("0")->gone.size(), 1U);
  EXPECT_EQ(standing(), IndexStanding::none);
}

TEST_F(kept_index, who_builds_excludes_others) {
  const store::IndexPlace place = find_index(trace, {})->place;
  ASSERT_TRUE(store::make_folder(place));
  const auto lock = store::FolderLock::take(place.lock(), store::FolderLock::Share::alone);
  // Who is asked to stop does not wait.
  const auto built = build_index(Input({.file = trace}, stopped()));
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().error.code, Code::index_busy);
}

TEST_F(kept_index, who_builds_is_waited_for) {
  const store::IndexPlace place = find_index(trace, {})->place;
  ASSERT_TRUE(store::make_folder(place));
  auto lock = store::FolderLock::take(place.lock(), store::FolderLock::Share::alone);
  std::thread other([&] { EXPECT_TRUE(build()); });
  lock->reset();
  EXPECT_TRUE(build());
  other.join();
  EXPECT_EQ(standing(), IndexStanding::current);
}

TEST_F(kept_index, a_change_of_equal_size_is_seen_whatever_the_times_say) {
  const std::string place = folder.file("own");
  std::ofstream(trace, std::ios::app) << std::string(2'000'000, '\0');
  ASSERT_TRUE(build(place));
  EXPECT_EQ(standing(place), IndexStanding::current);
  const auto size = static_cast<std::streamoff>(fs::file_size(trace));
  for (const std::streamoff at : {std::streamoff{100}, size / 3, size / 2 + 77, size - 100}) {
    const auto written = fs::last_write_time(trace);
    flip(trace, at);
    fs::last_write_time(trace, written);
    EXPECT_EQ(standing(place), IndexStanding::stale) << at;
    flip(trace, at);
    fs::last_write_time(trace, written);
    EXPECT_EQ(standing(place), IndexStanding::current) << at;
  }
}

TEST_F(kept_index, one_that_is_of_the_same_bytes_remembers_how_the_file_looks) {
  ASSERT_TRUE(build());
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(trace, old);
  const auto found = find_index(trace, {});
  EXPECT_EQ(found->standing, IndexStanding::current);
  const auto head = store::read_head(found->place.file());
  ASSERT_TRUE(head);
  EXPECT_EQ(head->source, found->source.facts);
  EXPECT_EQ(head->looked, found->source.looked);
  EXPECT_EQ(head->id, found->view->head().id);
  EXPECT_EQ(find_index(trace, {})->standing, IndexStanding::current);
}

TEST_F(kept_index, what_has_no_lasting_content_has_none) {
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& file : {std::string("-"), pipe}) {
    const auto built = build_index(Input({.file = file}));
    ASSERT_FALSE(built);
    EXPECT_EQ(built.error().error.code, Code::usage);
  }
}

TEST_F(kept_index, a_ready_one_is_made_once_and_kept_as_long_as_it_is_asked) {
  auto ready = ready_index(Input({.file = trace}));
  ASSERT_TRUE(ready && ready->store);
  EXPECT_EQ(ready->folder, find_index(trace, {})->place.folder);
  EXPECT_EQ(ready->store->facts().totals.events, build()->account.totals.events);
  const auto store = std::move(ready->store);
  EXPECT_EQ(drop_index(trace, {}).error().error.code, Code::index_busy);
  const auto again = ready_index(Input({.file = trace}));
  ASSERT_TRUE(again && again->store);
  EXPECT_EQ(again->store->facts().id, store->facts().id);
}

TEST_F(kept_index, a_ready_one_without_a_name_leaves_nothing) {
  setenv("TMPDIR", folder.file("").c_str(), 1);
  const auto before = folder.entries();
  const auto ready = ready_index(Input({.file = trace, .index = {.none = true}}));
  ASSERT_TRUE(ready && ready->store);
  EXPECT_EQ(folder.entries(), before);
  EXPECT_TRUE(ready->folder.empty());
  EXPECT_EQ(standing(), IndexStanding::none);
  EXPECT_EQ(ready->store->facts().totals.events, build()->account.totals.events);
  const auto stopped_one = ready_index(Input({.file = trace, .index = {.none = true}}, stopped()));
  ASSERT_TRUE(stopped_one);
  EXPECT_EQ(stopped_one->store, nullptr);
  EXPECT_TRUE(stopped_one->reading.passed.interrupted);
  unsetenv("TMPDIR");
}

TEST_F(kept_index, where_the_cache_cannot_be_used_a_ready_one_has_no_name_and_says_why) {
  std::ofstream(folder.file("cache")) << "a file";
  const auto ready = ready_index(Input({.file = trace}));
  ASSERT_TRUE(ready && ready->store);
  ASSERT_TRUE(ready->kept_out);
  EXPECT_EQ(ready->kept_out->code, Code::write_failed);
  const std::string place = folder.file("cache/own");
  EXPECT_FALSE(ready_index(Input({.file = trace, .index = {.folder = place}})));
  EXPECT_FALSE(ready_index(Input({.file = folder.file("nothing")})));
}

TEST_F(kept_index, what_lies_beside_a_trace_is_in_no_ready_one_that_is_kept) {
  ASSERT_TRUE(build());
  std::ofstream(trace + ".segments") << "";
  const auto ready = ready_index(Input({.file = trace}));
  ASSERT_TRUE(ready && ready->store);
  EXPECT_TRUE(ready->folder.empty());
}

TEST_F(kept_index, limits_are_sizes_as_people_write_them) {
  EXPECT_EQ(*cache_limit("2k"), 2048U);
  EXPECT_FALSE(cache_limit("2x"));
  setenv("POLYTRACE_CACHE_LIMIT", "3M", 1);
  EXPECT_EQ(*cache_limit({}), 3U << 20);
  EXPECT_EQ(*cache_limit("1"), 1U);
  unsetenv("POLYTRACE_CACHE_LIMIT");
  EXPECT_LE(*cache_limit({}), std::uint64_t{20} << 30);
}

}  // namespace
}  // namespace polytrace::service::test
