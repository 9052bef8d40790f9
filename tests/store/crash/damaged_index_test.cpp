// SPDX-License-Identifier: Apache-2.0
// Whole indexes that were cut anywhere or have a wrong bit: all answers are those of the undamaged
// one, or of a commit before it, or an error that says where.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "base/frames/fixed_record.hpp"
#include "store/ask/events/series.hpp"
#include "store/ask/whole.hpp"
#include "store/ask/zoom.hpp"
#include "store/crash/told_trace.hpp"

namespace polytrace::store::crash {
namespace {

using Bytes = std::vector<std::byte>;

struct Built {
  Bytes file;
  std::vector<std::uint64_t> lengths;  // after each commit
};

Built build(const ToldTrace& trace, const BuildOptions& options) {
  Built built;
  auto writer = IndexWriter::begin(*base::FrameFile::in_memory(), {});
  EXPECT_TRUE(writer);
  Builder builder(*writer, options);
  for (const auto& batch : trace.batches()) {
    const std::uint64_t before = writer->sequence();
    EXPECT_TRUE(builder.consume(*batch));
    if (writer->sequence() != before) built.lengths.push_back(writer->size());
  }
  EXPECT_TRUE(builder.finish({}, IndexState::complete, {}));
  built.lengths.push_back(writer->size());
  const auto image = base::Image::map(writer->descriptor(), writer->size());
  built.file.assign(image->bytes().begin(), image->bytes().end());
  return built;
}

// Only two slots stand in page 0.
TEST(damaged_index, cut_anywhere_is_one_of_its_last_two_commits_or_none) {
  const ToldTrace trace(11, 40, 50);
  const Built built = build(trace, {.commit_each = 0});
  const std::size_t commits = built.lengths.size();
  ASSERT_EQ(commits, trace.batches().size() + 1);  // the last two have the same events
  std::set<std::uint64_t> sizes;
  for (const std::uint64_t length : built.lengths)
    for (const std::uint64_t near : {length - 1, length, length + 1}) sizes.insert(near);
  std::mt19937_64 engine(12);
  for (int i = 0; i < 1000; ++i) sizes.insert(engine() % built.file.size());
  PrefixCheck events_in(trace);
  auto file = base::FrameFile::in_memory();
  ASSERT_TRUE(file && file->overwrite(0, built.file));
  for (const std::uint64_t size : sizes) {
    if (size > built.file.size()) continue;
    const auto cut = [&] { return std::move(*base::Image::map(file->descriptor(), size)); };
    auto view = IndexView::open(cut());
    ASSERT_EQ(view.has_value(), size >= built.lengths[commits - 2]) << size;
    if (!view) {
      // A part of the magic is no index at all.
      EXPECT_EQ(view.error().code,
                size >= 8 || size == 0 ? base::Code::index_missing : base::Code::not_recognised)
          << size;
      continue;
    }
    const bool whole = size >= built.lengths[commits - 1];
    EXPECT_EQ((*view)->slot().state, whole ? IndexState::complete : IndexState::building);
    EXPECT_EQ(events_in(cut()), trace.all().events.size());
  }
}

// What cells, series and figures of the whole say; nothing where one of them cannot be asked.
std::optional<std::string> from_afar(const IndexFrames& frames) {
  std::string told;
  const base::Time origin = frames.view().totals().origin;
  SpanTables tables;
  for (const unsigned level : {12U, 15U, 18U, 21U}) {
    const std::int64_t end = (std::int64_t{1} << 22 >> level) + 2;
    for (std::uint32_t thread = 0; thread < frames.threads(); ++thread) {
      const Zoom asked{.thread = thread, .level = level, .first_bucket = 0, .end_bucket = end};
      const auto put = [&](const ZoomItem& item) {
        told += fmt::format("{} {} {} {} {} {} {}\n", item.row, item.path, item.start, item.end,
                            item.count, item.busy, item.call);
      };
      if (!zoom(frames, origin, asked, put)) return std::nullopt;
    }
    const auto put = [&](const ActivityPoint& point) {
      told += fmt::format("{} {} {} {}\n", point.bucket, point.in_calls, point.calls, point.bytes);
    };
    if (!activity(frames, tables, origin, {.level = level, .first = 0, .end = end}, put))
      return std::nullopt;
  }
  const auto all = whole(frames);
  if (!all) return std::nullopt;
  for (const MethodSum& method : all->methods)
    told += fmt::format("{} {} {} {}\n", method.method, method.calls, method.total, method.self);
  for (const MethodDurations& method : all->durations)
    told += fmt::format("{} {}\n", method.least, method.most);
  for (const ThreadWhole& thread : all->threads)
    told += fmt::format("{} {} {}\n", thread.calls, thread.in_calls, thread.deepest);
  return told;
}

// An index of one commit with all kinds of frames that are written, and what may be asked of it.
class Flipped {
 public:
  explicit Flipped(ToldTrace trace = ToldTrace(13, 4, 50), BuildOptions options = {})
      : trace_(std::move(trace)) {
    options.commit_each = ~std::uint64_t{0};
    file_ = build(trace_, options).file;
    told_ = events_and_figures(*open(file_));
    EXPECT_TRUE(told_.from_afar);
  }

  // Each bit of [begin, end), or each so-many-th.
  void flip(std::uint64_t begin, std::uint64_t end, std::uint64_t step = 1) {
    for (std::uint64_t bit = begin * 8; bit < end * 8; bit += step) {
      SCOPED_TRACE(bit);
      Bytes wrong = file_;
      wrong[bit / 8] ^= std::byte{1} << (bit % 8);
      check(wrong);
      if (testing::Test::HasFailure()) return;
    }
  }
  // All of its head; some of a long payload.
  void flip_frame(std::uint64_t offset, std::uint64_t length) {
    const std::uint64_t payload = offset + base::kFrameHeadSize;
    flip(offset, payload, 3);
    flip(payload, payload + length, 1 + length / 8);
  }
  std::shared_ptr<const IndexView> view() const {
    auto view = IndexView::open(base::Image::of(file_));
    EXPECT_TRUE(view);
    return std::move(*view);
  }
  std::size_t same() const { return same_; }
  std::size_t refused() const { return refused_; }

 private:
  struct Told {
    std::vector<Answers> answers;  // at ten moments
    std::optional<std::string> from_afar{};
    std::unique_ptr<indexes::Told> events;
  };

  static base::result<std::shared_ptr<const IndexFrames>> open(Bytes file) {
    auto view = IndexView::open(base::Image::of(std::move(file)));
    if (!view) return tl::unexpected(view.error());
    return IndexFrames::open(std::move(*view));
  }
  Told events_and_figures(const std::shared_ptr<const IndexFrames>& frames) const {
    Told told;
    StoreReader reader(frames);
    told.events = indexes::tell(reader);
    const event::Spine& events = trace_.all().events;
    for (std::size_t i = 0; i < 10; ++i)
      told.answers.push_back(ask(*frames, events[events.size() * i / 10].time));
    told.from_afar = from_afar(*frames);
    return told;
  }
  void check(const Bytes& wrong) {
    const auto frames = open(wrong);
    if (!frames) {
      ++refused_;
      const base::Place& place = frames.error().place;
      // What is no index has no place in it.
      EXPECT_TRUE(place.offset != base::kNoOffset || !place.frame.empty() ||
                  frames.error().code == base::Code::not_recognised);
      return;
    }
    const Told now = events_and_figures(*frames);
    const base::Notices& notices = now.events->outcome.notices;
    bool all = notices.empty();
    if (all) {
      EXPECT_EQ(indexes::difference(told_.events->batch, now.events->batch), "");
    } else {
      EXPECT_LT(now.events->batch.events.size(), told_.events->batch.events.size());
      const base::Place place = notices.sorted()[0].first;
      EXPECT_TRUE(place.offset != base::kNoOffset || !place.frame.empty());
    }
    for (std::size_t i = 0; i < now.answers.size(); ++i) {
      all = all && now.answers[i].complete;
      expect_same(told_.answers[i].figures, now.answers[i]);
    }
    all = all && now.from_afar;
    if (now.from_afar) EXPECT_EQ(*now.from_afar, *told_.from_afar);
    ++(all ? same_ : refused_);
  }
  static void expect_same(const Truth& told, const Answers& now) {
    if (!now.complete) return;
    EXPECT_EQ(now.figures.methods, told.methods);
    EXPECT_EQ(now.figures.classes, told.classes);
    EXPECT_EQ(now.figures.stacks, told.stacks);
  }

  ToldTrace trace_;
  Bytes file_;
  Told told_;
  std::size_t same_ = 0;
  std::size_t refused_ = 0;
};

TEST(damaged_index, a_wrong_bit_of_page_0_is_refused_or_changes_nothing) {
  Flipped flipped;
  flipped.flip(0, kPageHeadBytes);
  EXPECT_EQ(flipped.refused(), kPageHeadBytes * 8);
  for (const std::uint64_t sequence : {1U, 2U})
    flipped.flip(slot_offset(sequence), slot_offset(sequence) + kSlotBytes);
  EXPECT_EQ(flipped.refused(), (kPageHeadBytes + kSlotBytes) * 8);  // the other slot is empty
  EXPECT_EQ(flipped.same(), kSlotBytes * 8);
  flipped.flip(slot_offset(1) + kSlotBytes, kPageBytes, 101);
  EXPECT_EQ(flipped.refused(), (kPageHeadBytes + kSlotBytes) * 8);
}

TEST(damaged_index, a_wrong_bit_of_a_frame_is_refused_or_changes_nothing) {
  Flipped flipped;
  const auto view = flipped.view();
  std::set<std::uint32_t> kinds;
  std::uint64_t end = kPageBytes;
  for (const Entry& entry : view->entries()) {
    end = base::next_frame(entry.offset + base::kFrameHeadSize + entry.length);
    SCOPED_TRACE(base::frame_name(entry.kind));
    if (kinds.insert(entry.kind).second) flipped.flip_frame(entry.offset, entry.length);
  }
  for (const std::uint32_t kind :
       {frame::text, frame::entities, frame::paths, frame::calls, frame::ends, frame::rows,
        frame::row_sums, frame::order, frame::chunks, frame::notices, frame::whole})
    EXPECT_TRUE(kinds.contains(kind)) << base::frame_name(kind);
  EXPECT_GT(flipped.refused(), 0U);
  // DIRE and ROOT, bit for bit.
  const std::size_t before = flipped.same();
  flipped.flip(end, end + base::kFrameHeadSize + view->entries().size() * kEntryBytes);
  flipped.flip(view->slot().root,
               view->slot().root + base::kFrameHeadSize + view->slot().root_length);
  EXPECT_EQ(flipped.same(), before);
}

// Those that only longer traces have: of many blocks, from afar.
TEST(damaged_index, a_wrong_bit_of_a_sum_is_refused_or_changes_nothing) {
  Flipped flipped(ToldTrace(17, 60, 60, {.methods = 2, .depth = 3}),
                  {.most_open = 1,
                   .cells = {.frame_cells = 64, .least_calls = 1},
                   .series = {.frame_entries = 64, .least_events = 1, .events_per_entry = 1}});
  const auto view = flipped.view();
  std::set<std::uint32_t> kinds;
  for (const Entry& entry : view->entries()) {
    SCOPED_TRACE(base::frame_name(entry.kind));
    const bool is_sum = entry.kind == frame::call_sums || entry.kind == frame::row_sums ||
                        entry.kind == frame::cells || entry.kind == frame::series;
    if (is_sum && kinds.insert(entry.kind).second) flipped.flip_frame(entry.offset, entry.length);
  }
  EXPECT_EQ(kinds.size(), 4U);
  EXPECT_GT(flipped.refused(), 0U);
}

// With two commits a wrong bit in the last slot leaves the one before it, and what that says.
TEST(damaged_index, a_wrong_bit_in_the_last_slot_leaves_the_commit_before) {
  const ToldTrace trace(14, 6, 40);
  const Built built = build(trace, {.commit_each = 3 * ToldTrace::kBytesOfBatch});
  ASSERT_EQ(built.lengths.size(), 2U);
  PrefixCheck events_in(trace);
  for (std::uint64_t bit = slot_offset(2) * 8; bit < (slot_offset(2) + kSlotBytes) * 8; ++bit) {
    Bytes wrong = built.file;
    wrong[bit / 8] ^= std::byte{1} << (bit % 8);
    ASSERT_EQ(events_in(std::move(wrong)), trace.ends()[3]);
  }
}

// A page 0 for which the directory's frames were chosen: each frame has its own place.
TEST(damaged_index, frames_that_are_told_twice_are_refused) {
  auto writer = IndexWriter::begin(*base::FrameFile::in_memory(), {});
  ASSERT_TRUE(writer);
  const auto text = std::as_bytes(std::span("\0\1\1a", 4));
  ASSERT_TRUE(writer->append({.kind = frame::text, .count = 1}, text));
  ASSERT_TRUE(writer->commit({}));
  const auto image = base::Image::map(writer->descriptor(), writer->size());
  const auto view =
      IndexView::open(base::Image::of({image->bytes().begin(), image->bytes().end()}));
  ASSERT_TRUE(view);
  const Entry entry = (*view)->entries()[0];
  const auto open_with = [&](const std::vector<Entry>& entries, std::size_t directories) {
    auto file = base::FrameFile::in_memory();
    EXPECT_TRUE(file->overwrite(0, image->bytes()));
    base::Appender payload;
    for (const Entry& one : entries) encode(one, payload);
    const auto directory = file->append(frame::directory, payload.view());
    base::Appender root;
    encode(Root{std::vector(directories, *directory), {}}, root);
    const auto at = file->append(frame::root, root.view());
    const Slot slot{.sequence = 2,
                    .root = *at,
                    .root_length = static_cast<std::uint32_t>(root.size()),
                    .length = file->size()};
    EXPECT_TRUE(file->overwrite(slot_offset(2), encode(slot)));
    return IndexView::open(*base::Image::map(file->descriptor(), file->size())).has_value();
  };
  EXPECT_TRUE(open_with({entry}, 1));
  EXPECT_FALSE(open_with({entry, entry}, 1));
  EXPECT_FALSE(open_with({entry}, 2));
  Entry endless = entry;
  endless.length = ~std::uint64_t{0};
  EXPECT_FALSE(open_with({endless}, 1));
}

}  // namespace
}  // namespace polytrace::store::crash
