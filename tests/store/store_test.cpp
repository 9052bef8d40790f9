// SPDX-License-Identifier: Apache-2.0
// An index as a file: built, opened, asked, found again, stale.
#include "store/store.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "format/format.hpp"
#include "store/built.hpp"
#include "store/file/cache_folder.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::store::indexes {
namespace {

const std::string kSample = std::string(POLYTRACE_TEST_DATA) + "/mlpd/calls.mlpd";

std::unique_ptr<event::Reader> reader_of(const std::string& path) {
  return std::move(format::open(std::move(*base::open_source(path)))->reader);
}

TEST(store, builds_a_file_that_appears_when_it_is_complete) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("index.pti");
  const auto reader = reader_of(kSample);
  const SourceIdentity source{.facts = {.size = 5}};
  ASSERT_TRUE(build_index(*reader, {.path = path, .format = "mlpd 17", .source = source}));
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  const auto store = Store::open(path);
  ASSERT_TRUE(store) << base::to_text(store.error());
  EXPECT_EQ((*store)->facts().state, IndexState::complete);
  EXPECT_EQ((*store)->facts().format, "mlpd 17");
  EXPECT_EQ((*store)->facts().source.size, 5U);
  const auto again = (*store)->reader();
  EXPECT_EQ(again->version(), "17");
  const auto told = tell(*reader_of(kSample)), out = tell(*again);
  EXPECT_EQ(difference(told->batch, out->batch), "");
  EXPECT_EQ((*store)->facts().totals.events, told->batch.events.size());
}

TEST(store, what_was_stopped_stays_beside_and_is_a_prefix) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("index.pti");
  const std::atomic<bool> stop{true};
  const auto reader = reader_of(kSample);
  ASSERT_TRUE(build_index(*reader, {.path = path, .pump = {.workers = 1, .stop = &stop}}));
  EXPECT_FALSE(std::filesystem::exists(path));
  const auto store = Store::open(path + ".new");
  ASSERT_TRUE(store) << base::to_text(store.error());
  EXPECT_EQ((*store)->facts().state, IndexState::building);
}

// A commit after each batch: each is a prefix of the events.
TEST(store, every_commit_on_the_way_is_a_prefix) {
  const auto told = tell(*reader_of(kSample));
  auto writer = IndexWriter::begin(*base::FrameFile::in_memory(), {});
  ASSERT_TRUE(writer);
  Builder builder(*writer, {.commit_each = 0});
  const auto reader = reader_of(kSample);
  event::Batch batch;
  std::size_t events = 0;
  while (*reader->next(batch)) {
    ASSERT_TRUE(builder.consume(batch));
    events += batch.events.size();
    auto view = IndexView::open(*base::Image::map(writer->descriptor(), writer->size()));
    ASSERT_TRUE(view);
    auto frames = IndexFrames::open(std::move(*view));
    ASSERT_TRUE(frames) << base::to_text(frames.error());
    StoreReader part(*frames);
    const auto out = tell(part);
    ASSERT_EQ(out->batch.events.size(), events);
    for (std::size_t i = 0; i < events; ++i)
      ASSERT_TRUE(
          test::same_event(told->batch, told->batch.events[i], out->batch, out->batch.events[i]))
          << i;
  }
  EXPECT_EQ(events, told->batch.events.size());
}

// Calls by method of the whole trace: entries are counted here, one by one.
TEST(store, figures_of_the_whole_are_those_of_its_events) {
  const auto told = tell(*reader_of(kSample));
  std::map<base::Id, std::uint64_t> entered, answered;
  for (const event::Event& event : told->batch.events)
    if (event.kind == event::Kind::Enter) ++entered[event.id];
  const test::TemporaryFolder folder;
  const std::string path = folder.file("index.pti");
  ASSERT_TRUE(build_index(*reader_of(kSample), {.path = path}));
  const auto store = *Store::open(path);
  const auto sums = store->calls({});
  ASSERT_TRUE(sums) << base::to_text(sums.error());
  for (const MethodSum& method : sums->methods(store->paths()))
    if (method.calls != 0)
      answered[store->entities().of(EntitySort::method, method.method).id] += method.calls;
  EXPECT_EQ(answered, entered);
  EXPECT_FALSE(entered.empty());
}

// The same calls from afar, one by one and by their durations.
TEST(store, zooms_and_measures_all_calls) {
  const auto told = tell(*reader_of(kSample));
  std::uint64_t entered = 0;
  for (const event::Event& event : told->batch.events) entered += event.kind == event::Kind::Enter;
  const test::TemporaryFolder folder;
  const std::string path = folder.file("index.pti");
  ASSERT_TRUE(build_index(*reader_of(kSample), {.path = path}));
  const auto store = *Store::open(path);
  MethodSet all;
  for (std::uint32_t i = 0; i < store->facts().totals.methods; ++i) all.push_back(i);
  for (const unsigned level : {10U, 45U}) {
    std::uint64_t counted = 0;
    for (std::uint32_t thread = 0; thread < store->facts().totals.threads; ++thread)
      ASSERT_TRUE(store->zoom({.thread = thread,
                               .level = level,
                               .first_bucket = -(std::int64_t{1} << 40),
                               .end_bucket = std::int64_t{1} << 40},
                              [&](const ZoomItem& item) { counted += item.count; }));
    EXPECT_EQ(counted, entered) << level;
  }
  const auto durations = store->durations(all, {}, 1);
  ASSERT_TRUE(durations);
  EXPECT_EQ(durations->calls, entered);
  const TimedCall& slowest = durations->slowest.at(0);
  EXPECT_EQ(store->call(slowest.call)->end, slowest.end);
  const auto first = store->seek(all, {}, Direction::next);
  ASSERT_TRUE(first && *first);
  const auto none = store->seek(all, {.to = (*first)->start}, Direction::previous);
  EXPECT_TRUE(none && !*none);
}

TEST(cache_folder, an_index_is_found_by_content_wherever_the_trace_is) {
  const test::TemporaryFolder folder;
  const std::string content = test::content_of(kSample);
  const auto first = identify(folder.write("a", content));
  const auto moved = identify(folder.write("b", content));
  ASSERT_TRUE(first && moved);
  EXPECT_EQ(first->fingerprint, moved->fingerprint);
  EXPECT_NE(first->facts.inode, moved->facts.inode);
  const IndexPlace place = place_of(folder.file("cache"), first->fingerprint);
  ASSERT_TRUE(make_folder(place));
  ASSERT_TRUE(make_folder(place));  // is there already
  const auto mode = std::filesystem::status(place.folder).permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_all);
}

// A file and the head of an index of it as it was.
class source_identity : public testing::Test {
 protected:
  source_identity() : content(test::content_of(kSample)), path(folder.write("trace", content)) {
    const auto was = identify(path);
    base::ContentHash hash;
    head = {.fingerprint = was->fingerprint,
            .whole = *whole_digest(path, was->facts.size, hash),
            .source = was->facts,
            .kinds = event::kKindCount,
            .looked = was->looked};
  }
  Staleness now(std::string_view text) {
    folder.write("trace", text);
    return now();
  }
  Staleness now() const { return *compare(head, *identify(path), path); }

  const test::TemporaryFolder folder;
  std::string content;
  std::string path;
  PageHead head;
};
constexpr std::int64_t kHour = 3'600'000'000'000;

TEST_F(source_identity, an_index_is_current_grown_or_of_another_content) {
  EXPECT_EQ(now(content), Staleness::same);
  EXPECT_EQ(now(content + "more"), Staleness::grown);
  EXPECT_EQ(now(content.substr(1)), Staleness::other);
  std::string changed = content;
  changed[100] ^= 1;
  EXPECT_EQ(now(changed), Staleness::other);
  EXPECT_EQ(now(changed + "more"), Staleness::other);
  folder.write("trace", content);
  ++head.rules;
  EXPECT_EQ(now(), Staleness::other);
}

TEST_F(source_identity, times_are_trusted_if_they_are_older_than_a_tick) {
  EXPECT_TRUE(are_settled({.modified = 5, .changed = 7}, kHour));
  EXPECT_FALSE(are_settled({.modified = 5, .changed = kHour - 1'000'000'000}, kHour));
  EXPECT_FALSE(are_settled({.modified = 2 * kHour, .changed = 7}, kHour));
  // An index whose hash is of other bytes tells which way it was found.
  head.whole = {};
  EXPECT_EQ(now(), Staleness::other);
  head.looked += kHour;
  EXPECT_EQ(now(), Staleness::current);
  ++head.source.changed;
  EXPECT_EQ(now(), Staleness::other);
}

TEST_F(source_identity, the_hash_goes_on_behind_what_was_read) {
  base::ContentHash begun;
  begun.add(std::as_bytes(std::span(content).first(1000)));
  EXPECT_EQ(*whole_digest(path, content.size(), begun), head.whole);
  base::ContentHash longer;
  longer.add(std::as_bytes(std::span(content)));
  EXPECT_FALSE(whole_digest(path, content.size() - 1, longer));
  base::ContentHash none;
  EXPECT_FALSE(whole_digest(path, content.size() + 1, none));
  const std::atomic<bool> stop = true;
  base::ContentHash stopped;
  EXPECT_EQ(whole_digest(path, content.size(), stopped, &stop).error().code,
            base::Code::limit_exceeded);
}

TEST(cache_folder, one_builds_and_many_use) {
  const test::TemporaryFolder folder;
  const IndexPlace place{folder.file("x")};
  ASSERT_TRUE(make_folder(place));
  {
    const auto builder = FolderLock::take(place.lock(), FolderLock::Share::alone);
    ASSERT_TRUE(builder && *builder);
    EXPECT_FALSE(*FolderLock::take(place.lock(), FolderLock::Share::alone));
    const auto user = FolderLock::use(place), other = FolderLock::use(place);
    EXPECT_TRUE(*user && *other);
    EXPECT_FALSE(*FolderLock::take(place.used(), FolderLock::Share::alone));
  }
  EXPECT_TRUE(*FolderLock::take(place.lock(), FolderLock::Share::alone));
  EXPECT_TRUE(*FolderLock::take(place.used(), FolderLock::Share::alone));
}

}  // namespace
}  // namespace polytrace::store::indexes
