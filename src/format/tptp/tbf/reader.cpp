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

void TbfReader::decode(const event::Chunk& chunk, event::Batch& batch) const {
  batch.clear();
  batch.offset = chunk.offset;
  StreamState state = *static_cast<const StreamState*>(chunk.context.get());
  MessageDecoder decoder(state, limits_, {batch.tally, batch.notices});
  EventMaker events(batch);
  const base::Bytes bytes(chunk.bytes);
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (allows_plain_calls(state)) at += decode_plain_calls(bytes.subspan(at), state, batch);
    if (at == bytes.size()) break;
    at += decoder.take(bytes.subspan(at), chunk.offset + at);
    if (const std::int64_t first = decoder.first_time(); first != 0)
      events.tell_clock(state.now, state.times.is_wall(first), state.times.frequency());
    if (decoder.has_message()) events.tell(decoder.message(), state.now);
  }
}

}  // namespace polytrace::format::tptp
