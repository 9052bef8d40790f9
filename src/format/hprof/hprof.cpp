// SPDX-License-Identifier: Apache-2.0
// HPROF, the heap dumps of Java virtual machines: docs/formats/hprof.md.
#include "format/format.hpp"

#include "base/codes.hpp"
#include "event/copy.hpp"
#include "event/framed_reader.hpp"
#include "format/hprof/decoders.hpp"
#include "format/hprof/framing.hpp"
#include "format/hprof/layout/records.hpp"

namespace polytrace::format::hprof {
namespace {

// Heap dumps are decoded on every core; the records before them, which mean something only
// together, while they are fetched.
class HprofReader final : public event::FramedReader<Framing> {
 public:
  static base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                           const event::ReadOptions& options);
  HprofReader(std::unique_ptr<base::Source> source, const Header& header,
              const event::ReadOptions& options)
      : FramedReader(std::move(source), header, options), header_(header) {}

  std::string version() const override { return std::string(header_.version); }
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;

 private:
  Header header_;
};

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
  if (context.again) decoder.objects(base::Bytes(chunk.bytes));
  else if (!context.array) decoder.parts(base::Bytes(chunk.bytes), chunk.offset);
  else if (!chunk.bytes.empty() || context.array_bytes != 0)
    decoder.piece(base::Bytes(chunk.bytes));
}

}  // namespace

const Format kFormat{
    .name = "hprof",
    .title = "HPROF heap dump",
    .suffix = ".hprof",
    .read_versions = "1.0.1, 1.0.2, 1.0.3",
    .recognise = looks_like_hprof,
    .open = HprofReader::open,
    .record_name = record_name,
};

}  // namespace polytrace::format::hprof
