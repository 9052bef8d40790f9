// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/reader.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/codes.hpp"
#include "format/mlpd/records/first_byte.hpp"

namespace polytrace::format::mlpd {
namespace {

using base::Bytes;

// Decodes the events of one buffer; what cannot be decoded becomes a notice.
void decode_buffer(const FileState& file, const BufferHeader& header, Bytes data,
                   std::uint64_t offset, std::uint64_t number, event::Batch& batch) {
  base::Cursor in(data, offset);
  const std::uint64_t decoded_before = batch.tally.record_bytes();
  RecordReader(file, header, in, batch).read_all();
  if (in.ok()) return;
  const std::uint64_t decoded = batch.tally.record_bytes() - decoded_before;
  const std::uint64_t start = offset - kBufferHeaderBytes;
  batch.notices.add(
      in.fault_code(),
      {.offset = in.fault_offset(), .frame = fmt::format("buffer {} at {:#x}", number, start)},
      data.size() - decoded, fmt::format("in the record at {:#x}", offset + decoded));
}

}  // namespace

base::result<std::unique_ptr<event::Reader>> MlpdReader::open(std::unique_ptr<base::Source> source,
                                                              const event::ReadOptions& options) {
  auto header = read_file_header(*source, options.limits);
  if (!header) return base::Unexpected(header.error());
  return std::make_unique<MlpdReader>(std::move(source), std::move(*header), options);
}

MlpdReader::MlpdReader(std::unique_ptr<base::Source> source, ReadHeader header,
                       const event::ReadOptions& options)
    : FramedReader(std::move(source), options, event::ReadBefore{header.bytes}, options.limits),
      header_(std::move(header.header)),
      header_bytes_(header.bytes),
      file_{header_.version, header_.id_mask(), 0} {}

std::string MlpdReader::version() const { return std::to_string(header_.version); }

base::result<bool> MlpdReader::fetch(event::Chunk& chunk) {
  auto more = FramedReader::fetch(chunk);
  if (!more || started_) return more;
  // The header's events need a batch even when no buffer follows.
  started_ = true;
  if (!*more) {
    chunk.bytes.clear();
    chunk.offset = header_bytes_;
    chunk.sequence = 0;
    return true;
  }
  file_.start_time = load_buffer_header(chunk.bytes.data()).time_base;
  return more;
}

void MlpdReader::decode(const event::Chunk& chunk, event::Batch& batch) const {
  batch.clear();
  batch.offset = chunk.offset;
  if (chunk.sequence == 0) tell_header(batch);
  std::size_t at = 0;
  std::uint64_t number = chunk.first_frame;
  while (at < chunk.bytes.size()) {
    const BufferHeader header = load_buffer_header(chunk.bytes.data() + at);
    at += kBufferHeaderBytes;
    const Bytes data = Bytes(chunk.bytes).subspan(at, static_cast<std::size_t>(header.length));
    decode_buffer(file_, header, data, chunk.offset + at, number++, batch);
    at += data.size();
    ++batch.tally.frames;
    batch.tally.frame_bytes += kBufferHeaderBytes;
  }
}

void MlpdReader::tell_header(event::Batch& batch) const {
  constexpr base::Duration kMillisecond = 1'000'000;
  constexpr std::uint64_t kStartTimeOffset = 8;  // in every version
  batch.tally.frame_bytes += header_bytes_;
  const base::Time start =
      header_.major >= 3 ? header_.startup_ns : static_cast<base::Time>(file_.start_time);
  const std::uint16_t thread = batch.thread_slot(base::kNoId);
  event::Process process;
  process.runtime = "Mono";
  process.agent = "log";
  process.agent_version = batch.keep(fmt::format("{}.{}", header_.major, header_.minor));
  process.pointer_size = header_.pointer_size;
  process.port = header_.port;
  process.options = batch.keep(header_.arguments);
  process.architecture = batch.keep(header_.architecture);
  process.os = batch.keep(header_.os);
  batch.add(start, thread, static_cast<base::Id>(header_.pid), process);
  event::Clock clock;
  // A damaged header can name a year that nanoseconds cannot.
  if (std::abs(header_.startup_ms / 2) < INT64_MAX / 2 / kMillisecond) {
    clock.wall = header_.startup_ms * kMillisecond;
  } else {
    batch.notices.add(base::Code::value_unexpected, {.offset = kStartTimeOffset}, 0,
                      fmt::format("a start time of {} ms", header_.startup_ms));
  }
  clock.overhead = header_.overhead_ns;
  batch.add(start, thread, base::kNoId, clock);
}

void MlpdReader::settle(event::Chunk&, event::Batch& batch) {
  if (batch.column<event::CounterDef>().empty() && batch.column<event::CounterValue>().empty())
    return;
  for (const event::Event& event : batch.events) {
    if (event.kind == event::Kind::CounterDef)
      counters_.define(event.id, batch.details<event::CounterDef>(event));
    if (event.kind == event::Kind::CounterValue)
      counters_.add_up(event.id, batch.column<event::CounterValue>()[event.detail]);
  }
}

}  // namespace polytrace::format::mlpd
