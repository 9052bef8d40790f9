// SPDX-License-Identifier: Apache-2.0
#include "store/read/events/store_reader.hpp"

#include <utility>

#include "base/codes.hpp"

namespace polytrace::store {
namespace {

using base::Code;
using base::fail;
using event::Kind;

// Tells how long the texts are that a batch keeps.
class CountedTexts final : public RowMeanings {
 public:
  explicit CountedTexts(const IndexFrames& frames) : frames_(frames) {}
  std::size_t bytes() const { return bytes_; }

  base::Id thread(u64 index) const override { return frames_.thread(index); }
  base::Id subject(Kind kind, u64 number) const override { return frames_.subject(kind, number); }
  base::Id class_id(u64 index) const override { return frames_.class_id(index); }
  std::string_view text(u64 id) const override {
    const std::string_view text = frames_.text(id);
    bytes_ += text.size();
    return text;
  }
  void frames(u64 path, std::vector<base::Id>& to) const override { frames_.frames(path, to); }

 private:
  const IndexFrames& frames_;
  mutable std::size_t bytes_ = 0;
};

// Fills a batch with the events of a part.
class PartReader {
 public:
  PartReader(const IndexFrames& frames, std::size_t most_bytes, StreamCursors& idle,
             event::Batch& batch)
      : frames_(frames), most_bytes_(most_bytes), idle_(idle), batch_(batch), meanings_(frames) {}
  ~PartReader() { give_back(); }

  base::result<void> read(const PartOfOrder& part) {
    begin(part);
    for (std::size_t i = 0; i < part.places.size(); ++i) {
      const auto place = static_cast<std::size_t>(part.places[i]);
      auto added = is_rows(streams_[place]) ? add_rows(place, part.counts[i])
                                            : add_calls(place, part.counts[i]);
      if (!added) return added;
    }
    return {};
  }

 private:
  struct Place {
    std::uint64_t position = 0;  // of the next event or row of the stream
    int slot = -1;               // of the thread in the batch, once it is known
    std::unique_ptr<CallCursor> calls{};
    std::unique_ptr<RowCursor> rows{};
  };

  void begin(const PartOfOrder& part) {
    for (std::size_t i = 0; i < part.streams.size(); ++i) {
      streams_.push_back(static_cast<Stream>(part.streams[i]));
      places_.push_back({.position = part.before[i]});
    }
  }
  void give_back() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].calls != nullptr)
        idle_.give(store::thread_of(streams_[i]), std::move(places_[i].calls));
      if (places_[i].rows != nullptr) idle_.give(*kind_at(i), std::move(places_[i].rows));
    }
  }
  std::optional<Kind> kind_at(std::size_t place) const {
    const std::uint32_t number = kind_number_of(streams_[place]);
    if (number > UINT16_MAX) return std::nullopt;
    return kind_of_number(static_cast<u16>(number));
  }

  base::result<void> add_rows(std::size_t place, std::uint64_t count) {
    Place& at = places_[place];
    while (count-- != 0) {
      if (at.rows == nullptr || !at.rows->has(at.position))
        if (auto moved = find_rows(place); !moved) return moved;
      if (batch_bytes() > most_bytes_)
        return fail(Code::limit_exceeded, "texts and lists of a part", {.frame = "ORDR"});
      at.rows->add(at.position++, meanings_, batch_);
    }
    return {};
  }
  std::size_t batch_bytes() const {
    return meanings_.bytes() + batch_.frames.size() * sizeof(base::Id) +
           batch_.column<event::FramePlace>().size() * sizeof(event::FramePlace) +
           batch_.column<event::Ref>().size() * sizeof(event::Ref) +
           batch_.column<event::IlRange>().size() * sizeof(event::IlRange);
  }
  base::result<void> find_rows(std::size_t place) {
    Place& at = places_[place];
    const auto kind = kind_at(place);
    if (!kind) return fail(Code::value_unexpected, "no such kind", {.frame = "ORDR"});
    at.rows = idle_.take_rows(*kind, at.position);
    if (at.rows != nullptr) return {};
    auto made = RowCursor::at(frames_, *kind, at.position);
    if (!made) return tl::unexpected(made.error());
    at.rows = std::move(*made);
    return {};
  }

  base::result<void> add_calls(std::size_t place, std::uint64_t count) {
    Place& at = places_[place];
    if (at.calls == nullptr)
      if (auto found = find_calls(place); !found) return found;
    for (; count != 0; --count) {
      const auto event = at.calls->next();
      if (!event) return tl::unexpected(event.error());
      if (event->has_details) {
        if (auto added = add_detailed(event->what); !added) return added;
      } else {
        batch_.events.push({event->time, frames_.method_id(event->method), event::kAbsent,
                            static_cast<std::uint16_t>(at.slot), kind_of(event->what), 0});
      }
    }
    return {};
  }
  base::result<void> find_calls(std::size_t place) {
    Place& at = places_[place];
    const std::uint32_t thread = store::thread_of(streams_[place]);
    at.slot = batch_.thread_slot(frames_.thread(thread));
    at.calls = idle_.take_calls(thread, at.position);
    if (at.calls != nullptr && at.calls->skip_to(at.position)) return {};
    auto made = CallCursor::at(frames_, thread, at.position);
    if (!made) return tl::unexpected(made.error());
    at.calls = std::move(*made);
    return {};
  }
  static Kind kind_of(CallEvent::What what) {
    if (what == CallEvent::What::enter) return Kind::Enter;
    return what == CallEvent::What::leave ? Kind::Leave : Kind::Unwind;
  }
  // The row has all of the event.
  base::result<void> add_detailed(CallEvent::What what) {
    const Stream stream = rows_of(kind_number(kind_of(what)));
    const auto found = std::ranges::find(streams_, stream);
    if (found == streams_.end())
      return fail(Code::value_unexpected, "no details", {.frame = "ORDR"});
    return add_rows(static_cast<std::size_t>(found - streams_.begin()), 1);
  }

  const IndexFrames& frames_;
  std::size_t most_bytes_;
  StreamCursors& idle_;
  event::Batch& batch_;
  CountedTexts meanings_;
  std::vector<Stream> streams_;
  std::vector<Place> places_;
};

}  // namespace

// What progress is told from.
class StoreReader::IndexSource final : public base::Source {
 public:
  explicit IndexSource(const IndexFrames& frames) : frames_(frames) {}

  base::result<std::size_t> read(std::span<std::byte>) override { return std::size_t{0}; }
  std::optional<std::uint64_t> stored_size() const override { return frames_.view().slot().length; }
  std::uint64_t stored_position() const override {
    const std::uint64_t parts = frames_.order().size();
    if (done >= parts) return frames_.view().slot().length;
    return frames_.view().entries()[frames_.order()[done].entry].offset;
  }

  std::uint64_t done = 0;  // parts

 private:
  const IndexFrames& frames_;
};

StoreReader::StoreReader(std::shared_ptr<const IndexFrames> frames, std::size_t most_chunk_bytes)
    : frames_(std::move(frames)),
      most_chunk_bytes_(most_chunk_bytes),
      source_(std::make_unique<IndexSource>(*frames_)) {}

StoreReader::~StoreReader() = default;

std::string StoreReader::version() const {
  const std::string& format = frames_->view().head().format;
  const std::size_t blank = format.find(' ');
  return blank == std::string::npos ? std::string() : format.substr(blank + 1);
}

const base::Source& StoreReader::source() const { return *source_; }

// Chunk 0 is there without any event, too: it has the tally.
base::result<bool> StoreReader::fetch(event::Chunk& chunk) {
  if (next_ >= std::max<std::uint64_t>(frames_->order().size(), 1)) {
    if (frames_->notes().error) return tl::unexpected(*frames_->notes().error);
    return false;
  }
  chunk.bytes.clear();
  chunk.sequence = chunk.first_frame = next_++;
  const bool any = chunk.sequence < frames_->order().size();
  chunk.offset = any ? frames_->order()[chunk.sequence].first : 0;
  source_->done = next_;
  return true;
}

void StoreReader::decode(const event::Chunk& chunk, event::Batch& batch) const {
  batch.clear();
  batch.offset = chunk.offset;
  if (chunk.sequence == 0) batch.tally = frames_->notes().tally;
  if (chunk.sequence >= frames_->order().size()) return;
  const IndexFrames::OrderPart& where = frames_->order()[chunk.sequence];
  const auto bytes = frames_->view().payload(where.entry);
  const auto part = bytes ? read_order(*bytes, where.events)
                          : base::result<PartOfOrder>(tl::unexpected(bytes.error()));
  const auto read = part ? PartReader(*frames_, most_chunk_bytes_, cursors_, batch).read(*part)
                         : base::result<void>(tl::unexpected(part.error()));
  if (!read) batch.notices.add(read.error().code, read.error().place, 0, read.error().detail);
}

}  // namespace polytrace::store
