// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/codes.hpp"
#include "event/text/text.hpp"
#include "format/drill/drill.hpp"

namespace polytrace::format::drill {
namespace {

constexpr std::size_t kPiece = 64 * 1024;

std::string_view text_of(base::Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void decode_line(std::string_view line, std::uint64_t offset, event::Batch& batch) {
  const auto size = line.size() + 1;
  if (const auto parsed = event::parse_text(line, batch); !parsed) {
    const auto& fault = parsed.error();
    const auto column = std::max(fault.place.column, 1U) - 1;
    batch.notices.add(fault.code, {.offset = offset + column}, size, fault.detail);
    return;
  }
  const auto kind = batch.events[batch.events.size() - 1].kind;
  auto& records = batch.tally.records[static_cast<std::size_t>(kind)];
  ++records.count;
  records.bytes += size;
}

class Reader final : public event::Reader {
 public:
  Reader(std::unique_ptr<base::Source> source, const event::ReadOptions& options)
      : source_(std::move(source)), limit_(options.limits.frame_bytes) {}

  std::string version() const override { return "1"; }
  base::result<bool> fetch(event::Chunk& chunk) override;
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;
  const base::Notices& notices() const override { return notices_; }
  const base::Source& source() const override { return *source_; }

 private:
  base::result<bool> read_more(base::RawArray<std::byte>& bytes);
  base::result<bool> give(event::Chunk& chunk, std::size_t size);
  base::result<bool> give_up(base::RawArray<std::byte>& bytes);
  bool finish(std::size_t rest);

  std::unique_ptr<base::Source> source_;
  std::size_t limit_;
  base::Notices notices_;
  base::RawArray<std::byte> tail_;  // the incomplete line behind the last chunk
  std::uint64_t offset_ = 0;        // in the stream, of the next chunk
  std::uint64_t chunks_ = 0;
  bool whole_ = false;  // the last line so far was kLastLine
};

// Whole lines, as many as one piece of the input completes.
base::result<bool> Reader::fetch(event::Chunk& chunk) {
  chunk.bytes.clear();
  chunk.bytes.append(tail_);
  tail_.clear();
  for (;;) {
    const auto more = read_more(chunk.bytes);
    if (!more) return more;
    if (!*more) return finish(chunk.bytes.size());
    const auto end = text_of(chunk.bytes).rfind('\n');
    if (end != std::string_view::npos) return give(chunk, end + 1);
    if (chunk.bytes.size() > limit_) return give_up(chunk.bytes);
  }
}

base::result<bool> Reader::read_more(base::RawArray<std::byte>& bytes) {
  std::byte* at = bytes.room(kPiece);
  const auto got = source_->read({at, kPiece});
  if (!got) return base::Unexpected(got.error());
  bytes.grew_to(at + *got);
  return *got > 0;
}

base::result<bool> Reader::give(event::Chunk& chunk, std::size_t size) {
  tail_.append(base::Bytes(chunk.bytes).subspan(size));
  chunk.bytes.cut(size);
  chunk.offset = offset_;
  chunk.sequence = chunks_++;
  offset_ += size;
  const auto text = text_of(chunk.bytes);
  whole_ = text == kLastLine || text.ends_with("\nend\n");
  return true;
}

// A line longer than any frame may be: what follows it is counted, not held.
base::result<bool> Reader::give_up(base::RawArray<std::byte>& bytes) {
  std::uint64_t dropped = 0;
  while (!bytes.empty()) {
    dropped += bytes.size();
    bytes.clear();
    if (const auto more = read_more(bytes); !more) return more;
  }
  notices_.add(base::Code::frame_length, {.offset = offset_}, dropped);
  whole_ = true;
  return finish(0);
}

bool Reader::finish(std::size_t rest) {
  if (rest > 0 || !whole_) notices_.add(base::Code::frame_truncated, {.offset = offset_}, rest);
  offset_ += rest;
  if (auto fault = source_->end_fault())
    notices_.add(fault->code, fault->place, 0, std::move(fault->detail));
  whole_ = true;
  return false;
}

void Reader::decode(const event::Chunk& chunk, event::Batch& batch) const {
  batch.clear();
  batch.offset = chunk.offset;
  auto offset = chunk.offset;
  for (auto rest = text_of(chunk.bytes); !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n') + 1);
    rest.remove_prefix(line.size());
    if (line == kLastLine || (offset == 0 && line == kFirstLine)) {
      batch.tally.frame_bytes += line.size();
    } else {
      decode_line(line.substr(0, line.size() - 1), offset, batch);
    }
    offset += line.size();
  }
}

}  // namespace

base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                  const event::ReadOptions& options) {
  return std::make_unique<Reader>(std::move(source), options);
}

}  // namespace polytrace::format::drill
