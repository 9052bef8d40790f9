// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <random>

#include "store/zoom/zoomed.hpp"

namespace polytrace::store::zooms {
namespace {

std::vector<Cell> some_cells() {
  std::vector<Cell> cells;
  std::mt19937_64 random(3);
  for (std::uint32_t row = 0; row < 5; ++row) {
    base::Time at = 1000;
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t count = 1 + random() % 3, busy = random() % 500;
      const auto end = at + static_cast<base::Time>(busy + (count > 1 ? 10 : 0));
      cells.push_back({at, end, count, busy, count > 1 ? busy / 2 : busy,
                       slice_id(random() % 1000, static_cast<std::uint32_t>(random() % 10)),
                       static_cast<std::uint32_t>(random() % 20), row});
      at = end + static_cast<base::Time>(random() % 100);
    }
  }
  return cells;
}

base::result<void> read(const std::string& payload, std::size_t size, std::vector<Cell>& into) {
  // In memory of its own, so that a look behind its end is seen.
  const std::vector<char> copy(payload.begin(),
                               payload.begin() + static_cast<std::ptrdiff_t>(size));
  return read_cells(std::as_bytes(std::span(copy)), 20, into);
}

TEST(cells, come_back_from_their_frame) {
  const auto cells = some_cells();
  std::string payload;
  append_cells(cells, payload);
  std::vector<Cell> back;
  ASSERT_TRUE(read(payload, payload.size(), back));
  ASSERT_EQ(back.size(), cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell &a = cells[i], &b = back[i];
    EXPECT_EQ(std::tuple(a.start, a.end, a.count, a.busy, a.longest, a.call, a.path, a.row),
              std::tuple(b.start, b.end, b.count, b.busy, b.longest, b.call, b.path, b.row));
  }
}

TEST(damaged_cells, give_an_error_or_cells_that_lead_nowhere_else) {
  std::string payload;
  append_cells(some_cells(), payload);
  std::vector<Cell> cells;
  for (std::size_t size = 0; size < payload.size(); ++size)
    EXPECT_FALSE(read(payload, size, cells)) << size;
  EXPECT_FALSE(read(payload + "x", payload.size() + 1, cells));
  for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
    std::string damaged = payload;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << (bit % 8));
    cells.clear();
    if (!read(damaged, damaged.size(), cells)) continue;
    for (const Cell& cell : cells) {
      ASSERT_LT(cell.path, 20U);
      ASSERT_LT(cell.row, kMostDepth);
      ASSERT_LT(call_of(cell.call), kBlockEvents);
      ASSERT_GT(cell.count, 0U);
    }
  }
}

// Frames whose checksums hold, but not what they say.
class Crafted final : public SameFrames {
 public:
  Crafted(const CallFrames& of, std::vector<Cells> cells, std::vector<std::string> payloads)
      : SameFrames(of), cells_(std::move(cells)), payloads_(std::move(payloads)) {}
  using SameFrames::payload;
  std::span<const Cells> cells(std::uint32_t) const override { return cells_; }
  base::result<base::Bytes> payload(const Cells& cells) const override {
    return std::as_bytes(std::span(payloads_[cells.frame]));
  }

 private:
  std::vector<Cells> cells_;
  std::vector<std::string> payloads_;
};

TEST(damaged_cells, that_are_crafted_give_an_error_or_an_answer) {
  const Traced traced({calls::random_stream({.events = 6000, .depth = 8}, 5)},
                      {.commit_each = 0, .cells = {.frame_cells = 64, .least_calls = 16}}, 300);
  const auto all = traced.frames().cells(0);
  ASSERT_GT(all.size(), 2U);
  std::mt19937_64 random(2);
  std::size_t answered = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<CallFrames::Cells> cells(all.begin(), all.end());
    std::vector<std::string> payloads;
    for (auto& frame : cells) {
      const auto payload = traced.frames().payload(frame);
      ASSERT_TRUE(payload);
      std::string text(reinterpret_cast<const char*>(payload->data()), payload->size());
      for (int i = 0; i < 3; ++i) text[random() % text.size()] = static_cast<char>(random());
      frame.frame = payloads.size();
      frame.level = static_cast<unsigned>(random() % (kMostLevel + 1));
      payloads.push_back(std::move(text));
    }
    const Crafted crafted(traced.frames(), std::move(cells), std::move(payloads));
    Zoom asked = random_zoom(traced, 0, random);
    asked.level = static_cast<unsigned>(random() % (kMostLevel + 1));
    answered += zoom(crafted, traced.origin(), asked, [](const ZoomItem&) {}).has_value();
  }
  EXPECT_GT(answered, 0U);
}

// Every byte of every frame of cells in a file: its checksum tells.
TEST(damaged_cells, of_a_file_are_an_error_and_never_an_answer) {
  auto file = base::FrameFile::in_memory();
  ASSERT_TRUE(file);
  auto writer = IndexWriter::begin(std::move(*file), {});
  ASSERT_TRUE(writer);
  event::Batch batch;
  const std::uint16_t slot = batch.thread_slot(100);
  for (const calls::Told& told : calls::random_stream({.events = 8000, .depth = 8}, 5))
    calls::add(batch, slot, told);
  Builder builder(*writer, {.cells = {.frame_cells = 64, .least_calls = 16}});
  ASSERT_TRUE(builder.consume(batch));
  ASSERT_TRUE(builder.finish({}, IndexState::complete, {.format = "test 1"}));
  const auto open = [&] {
    return IndexFrames::open(
        *IndexView::open(*base::Image::map(writer->descriptor(), writer->size())));
  };
  const auto entries = (*open())->view().entries();
  std::size_t frames = 0, damaged = 0;
  const Zoom asked{.level = 40, .first_bucket = -1, .end_bucket = 2};
  const base::Time origin = batch.events[0].time;
  for (const Entry& entry : entries) {
    if (entry.kind != frame::cells) continue;
    ++frames;
    for (std::uint64_t at = entry.offset; at < entry.offset + 24 + entry.length; at += 7) {
      char byte = 0;
      ASSERT_EQ(pread(writer->descriptor(), &byte, 1, static_cast<off_t>(at)), 1);
      const char other = static_cast<char>(byte ^ 0x10);
      ASSERT_EQ(pwrite(writer->descriptor(), &other, 1, static_cast<off_t>(at)), 1);
      const auto index = open();
      ASSERT_TRUE(index);
      const auto cells = (*index)->cells(0);
      const auto used = std::ranges::max(cells, {}, &CallFrames::Cells::level);
      const bool is_used = (*index)->view().entries()[used.frame].offset == entry.offset;
      const auto zoomed = zoom(**index, origin, asked, [](const ZoomItem&) {});
      EXPECT_EQ(zoomed.has_value(), !is_used) << at - entry.offset;
      damaged += !zoomed;
      ASSERT_EQ(pwrite(writer->descriptor(), &byte, 1, static_cast<off_t>(at)), 1);
    }
  }
  EXPECT_GT(frames, 1U);
  EXPECT_GT(damaged, 10U);
  EXPECT_TRUE(zoom(**open(), origin, asked, [](const ZoomItem&) {}));
}

}  // namespace
}  // namespace polytrace::store::zooms
