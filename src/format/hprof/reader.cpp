// SPDX-License-Identifier: Apache-2.0
#include "format/hprof/reader.hpp"

#include "event/copy.hpp"
#include "format/hprof/heap_decoder.hpp"

namespace polytrace::format::hprof {

base::result<std::unique_ptr<event::Reader>> HprofReader::open(std::unique_ptr<base::Source> source,
                                                               const event::ReadOptions& options) {
  std::vector<std::byte> head(kHeaderBytes);
  const auto got = base::read_fully(*source, head);
  if (!got) return base::Unexpected(got.error());
  head.resize(*got);
  if (!looks_like_hprof(head)) return base::fail(base::Code::not_recognised);
  const auto header = read_header(head);
  if (!header) return base::Unexpected(header.error());
  return std::make_unique<HprofReader>(std::move(source), *header, options);
}

void HprofReader::decode(const event::Chunk& chunk, event::Batch& batch) const {
  batch.clear();
  batch.offset = chunk.offset;
  const auto& context = *static_cast<const Context*>(chunk.context.get());
  if (context.said != nullptr) {
    for (const event::Event& event : context.said->events)
      event::copy_event(*context.said, event, batch);
    batch.tally = context.said->tally;
    batch.notices = context.said->notices;
    return;
  }
  batch.tally.frame_bytes += context.segment_heads;
  batch.tally.frames += context.segment_heads != 0;
  if (context.starts != 0)
    batch.add(context.time, batch.thread_slot(base::kNoId), context.starts, event::Dump{});
  HeapDecoder decoder(context, header_.id_size, batch);
  if (!context.array) decoder.parts(base::Bytes(chunk.bytes), chunk.offset);
  else if (!chunk.bytes.empty() || context.array_bytes != 0)
    decoder.piece(base::Bytes(chunk.bytes));
}

}  // namespace polytrace::format::hprof
