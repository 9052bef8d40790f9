// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf/reader.hpp"

#include "format/tptp/events/event_maker.hpp"
#include "format/tptp/tbf/calls.hpp"
#include "format/tptp/tbf/message_decoder.hpp"
#include "format/tptp/tbf/plain_call.hpp"

namespace polytrace::format::tptp {

base::result<std::unique_ptr<event::Reader>> TbfReader::open(std::unique_ptr<base::Source> source,
                                                             const event::ReadOptions& options) {
  auto reader = std::make_unique<TbfReader>(std::move(source), options);
  auto header = begin_tbf(reader->framing().stream());
  if (!header) return base::Unexpected(header.error());
  reader->header_ = *header;
  return reader;
}

std::string TbfReader::version() const { return to_text(header_); }

base::result<bool> TbfReader::fetch(event::Chunk& chunk) {
  const auto more = FramedReader::fetch(chunk);
  ended_ |= more && !*more;
  return more;
}

const base::Notices& TbfReader::notices() const {
  if (!ended_) return FramedReader::notices();
  all_ = FramedReader::notices();
  watch_.tell(all_);
  return all_;
}

void TbfReader::settle(event::Chunk& chunk, event::Batch& batch) {
  const auto& seen = *static_cast<const SeenChunk*>(batch.context.get());
  const std::span<std::byte> bytes(chunk.bytes.data(), chunk.bytes.size());
  if (watch_.see(seen, bytes, chunk.offset)) decode(chunk, batch);
}

void TbfReader::decode(const event::Chunk& chunk, event::Batch& batch) const {
  batch.clear();
  batch.offset = chunk.offset;
  StreamState state = *static_cast<const StreamState*>(chunk.context.get());
  MessageDecoder decoder(state, limits_, {batch.tally, batch.notices});
  EventMaker events(batch);
  const auto seen = std::make_shared<SeenChunk>();
  batch.context = seen;
  seen->states.push_back(state);
  CallFollower follower(*seen);
  const base::Bytes bytes(chunk.bytes);
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (allows_plain_calls(state)) {
      follower.begin();
      const std::size_t calls = decode_plain_calls(bytes.subspan(at), state, batch, follower);
      if (calls != 0) follower.end(at, calls);
      at += calls;
    }
    if (at == bytes.size()) break;
    const std::size_t begin = at;
    at += decoder.take(bytes.subspan(at), chunk.offset + at);
    seen->add(decoder.frame(), begin, state);
    if (const std::int64_t first = decoder.first_time(); first != 0)
      events.tell_clock(state.now, state.times.is_wall(first), state.times.frequency());
    if (decoder.has_message()) events.tell(decoder.message(), state.now);
  }
}

}  // namespace polytrace::format::tptp
