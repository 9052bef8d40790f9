// SPDX-License-Identifier: Apache-2.0
#include "collector/live/piece.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/frames/image.hpp"
#include "base/io/appender.hpp"
#include "collector/keep/block_cutter.hpp"
#include "collector/keep/checkpoint.hpp"
#include "collector/keep/spool_look.hpp"
#include "collector/live/definitions.hpp"
#include "collector/live/live_reader.hpp"
#include "format/native/framing.hpp"

namespace polytrace::collector {
namespace {

using base::Code;
using format::native::BlockHeader;
using format::native::Content;
using format::native::StreamHeader;
using Blocks = std::map<std::uint64_t, std::vector<std::byte>>;

// What earlier blocks told.
struct Before {
  std::vector<std::vector<std::byte>> definitions{};
  std::vector<std::vector<std::byte>> context{};
  bool is_whole = false;
};

// Indexes in words: "5 to 9, 12".
class IndexWords {
 public:
  void add(std::uint64_t index) {
    if (count_ == 0 || index != last_ + 1) {
      end_run();
      first_ = index;
    }
    last_ = index;
    ++count_;
  }
  std::uint64_t count() const { return count_; }
  std::string text() {
    end_run();
    return text_;
  }

 private:
  void end_run() {
    if (count_ == told_) return;
    if (!text_.empty()) text_ += ", ";
    text_ += first_ == last_ ? fmt::to_string(first_) : fmt::format("{} to {}", first_, last_);
    told_ = count_;
  }

  std::string text_;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t told_ = 0;
};

// The file may be growing: what is whole of it counts. It also has what blocks told that are gone:
// without that those behind them would have wrong times and no names.
Before read_before(const PieceOrder& order, const Blocks& blocks) {
  Before before;
  const auto image =
      base::Image::map(Checkpoint::definitions_path(order.folder / "streams", order.stream));
  if (!image || !image->intact()) return before;
  BlockCutter cutter(sizeof(StreamHeader));
  const auto cut =
      cutter.feed(image->bytes(), [&](const BlockCutter::Block& block) -> base::result<void> {
        if (block.index > order.last || blocks.contains(block.index)) return {};
        auto& kept = is_context(block.bytes) ? before.context : before.definitions;
        kept.emplace_back(block.bytes.begin(), block.bytes.end());
        return {};
      });
  before.is_whole = cut.has_value();
  return before;
}

// When the first event of the blocks happened, on the trace's clock.
base::Time begin_of(const Before& before, const Blocks& blocks, std::uint64_t stream) {
  constexpr std::uint64_t kNoTick = ~std::uint64_t{0};
  std::uint64_t earliest = kNoTick;
  for (const auto& [index, block] : blocks)
    if (const BlockHeader header = format::native::load_header(block.data());
        header.content == Content::events)
      earliest = std::min(earliest, header.first_tick);
  LiveReader reader(stream);
  base::Time begin = base::kNoTime;
  const auto look = [&](const event::Batch& batch) {
    for (const event::Event& event : batch.events)
      if (begin == base::kNoTime || event.time < begin) begin = event.time;
  };
  const auto pass = [](const event::Batch&) {};
  for (const auto& block : before.context) reader.read(block, pass);
  for (const auto& [index, block] : blocks) {
    const BlockHeader header = format::native::load_header(block.data());
    if (is_context(block)) reader.read(block, pass);
    else if (header.content == Content::events && header.first_tick == earliest)
      reader.read(block, look);
  }
  return begin == base::kNoTime ? 0 : begin;
}

// Blocks behind each other, numbered anew.
class PieceWriter {
 public:
  explicit PieceWriter(std::uint64_t stream) {
    StreamHeader header;
    header.stream = stream;
    seal(header);
    out_.fixed(header);
  }
  // One block or several.
  void add(base::Bytes blocks) {
    while (!blocks.empty()) {
      BlockHeader header = format::native::load_header(blocks.data());
      const base::Bytes payload = blocks.subspan(sizeof header, header.length);
      blocks = blocks.subspan(sizeof header + payload.size());
      if (header.content != Content::end) put(header, payload);
    }
  }
  std::vector<std::byte> finish() {
    BlockHeader end;
    end.content = Content::end;
    put(end, {});
    return {out_.view().begin(), out_.view().end()};
  }

 private:
  void put(BlockHeader header, base::Bytes payload) {
    header.index = next_++;
    seal(header, payload);
    out_.fixed(header);
    out_.bytes(payload);
  }

  base::Appender out_;
  std::uint64_t next_ = 0;
};

// What the trace says of itself, as events.
std::vector<std::byte> own_words(const std::string& note, std::uint64_t gone, base::Time time) {
  event::Batch batch;
  const std::uint16_t nobody = batch.thread_slot(base::kNoId);
  event::Note said;
  said.text = batch.keep(note);
  batch.add(time, nobody, base::kNoId, said);
  if (gone != 0) {
    event::Lost lost;
    lost.records = gone;  // each had one event at least
    lost.reason = "blocks are no longer in the spool";
    batch.add(time, nobody, base::kNoId, lost);
  }
  return blocks_with(batch, 0);
}

// Of the blocks that are there.
bool is_had(const PieceOrder& order, std::uint64_t index) {
  return order.had && index >= order.had->first && index <= order.had->last;
}

base::Unexpected nothing_there(const PieceOrder& order, const Looked& looked) {
  std::string nearest = "and no other of that stream";
  if (looked.first_behind) nearest = fmt::format("the nearest is {}", *looked.first_behind);
  else if (looked.last_before) nearest = fmt::format("the nearest is {}", *looked.last_before);
  return base::fail(Code::open_failed,
                    fmt::format("no block from {} to {} of stream {:016x} is in the spool, {}",
                                order.first, order.last, order.stream, nearest));
}

}  // namespace

base::result<void> check_order(const PieceOrder& order) {
  if (order.last < order.first || order.last - order.first >= kMostPieceBlocks)
    return base::fail(Code::usage, fmt::format("1 to {} blocks at once", kMostPieceBlocks));
  return {};
}

base::result<Piece> read_piece(const PieceOrder& order) {
  if (auto fit = check_order(order); !fit) return base::Unexpected(fit.error());
  auto looked = look_into_spool(order.folder / "raw", order.folder / "pinned", order.stream,
                                order.first, order.last, kMostPieceBytes);
  if (!looked) return base::Unexpected(looked.error());
  const Blocks& blocks = looked->blocks;
  if (blocks.empty()) return nothing_there(order, *looked);
  const auto had = std::ranges::count_if(blocks, [&](const auto& block) {
    return is_had(order, block.first) && !is_end(block.second);
  });
  if (order.had &&
      (order.had->last != order.last || static_cast<std::uint64_t>(had) != order.had->count))
    return base::fail(Code::usage, "other blocks are there now than were had: ask for all");
  IndexWords gone;
  IndexWords to_come;
  const std::uint64_t newest = looked->first_behind.value_or(blocks.rbegin()->first);
  for (std::uint64_t index = order.first; index <= order.last; ++index)
    if (!blocks.contains(index)) (index < newest ? gone : to_come).add(index);

  const Before before = read_before(order, blocks);
  Piece piece;
  piece.gone = gone.text();
  piece.note =
      fmt::format("blocks {} to {} of stream {:016x}", order.first, order.last, order.stream);
  if (gone.count() != 0) piece.note += "; no longer in the spool: " + piece.gone;
  if (to_come.count() != 0) piece.note += "; not there: " + to_come.text();
  if (!before.is_whole)
    piece.note += "; what earlier blocks told is damaged or missing, times may be wrong";
  PieceWriter writer(order.stream);
  for (const auto& block : before.definitions) writer.add(block);
  writer.add(own_words(piece.note, gone.count(), begin_of(before, blocks, order.stream)));
  for (const auto& block : before.context) writer.add(block);
  for (const auto& [index, block] : blocks) {
    if (is_had(order, index)) continue;
    writer.add(block);
    ++piece.blocks;
    piece.at_end += !is_end(block);
  }
  piece.trace = writer.finish();
  return piece;
}

}  // namespace polytrace::collector
