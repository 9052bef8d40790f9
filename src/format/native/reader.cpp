// SPDX-License-Identifier: Apache-2.0
#include "format/native/reader.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "format/native/read/block_reader.hpp"

namespace polytrace::format::native {

using base::Code;

base::result<std::unique_ptr<event::Reader>> NativeReader::open(
    std::unique_ptr<base::Source> source, const event::ReadOptions& options) {
  std::vector<std::byte> bytes(sizeof(StreamHeader));
  const auto got = base::read_fully(*source, bytes);
  if (!got) return base::Unexpected(got.error());
  if (*got < bytes.size()) return base::fail(Code::header_truncated, {}, {.offset = *got});
  const auto header = base::load_le<StreamHeader>(bytes.data());
  if (header.magic != kStreamMagic) return base::fail(Code::not_recognised);
  constexpr std::uint64_t kVersionOffset = offsetof(StreamHeader, major);
  if (is_sealed(header) && header.major != kMajor)
    return base::fail(Code::version_unsupported, fmt::format("version {}", header.major),
                      {.offset = kVersionOffset});
  return std::make_unique<NativeReader>(std::move(source), header, options);
}

NativeReader::NativeReader(std::unique_ptr<base::Source> source, const StreamHeader& header,
                           const event::ReadOptions& options)
    : FramedReader(std::move(source), options, event::ReadBefore{sizeof header}, options.limits),
      header_(header),
      segments_path_(options.segments) {
  if (is_sealed(header)) return;
  framing().notices().add(Code::header_damaged, {.offset = 0}, sizeof header);
  header_ = {};
  header_damaged_ = true;
}

std::string NativeReader::version() const {
  return fmt::format("{}.{}", header_.major, header_.minor);
}

base::result<bool> NativeReader::fetch(event::Chunk& chunk) {
  if (!stream_read_) {
    const auto more = FramedReader::fetch(chunk);
    if (!more) return more;
    stream_read_ = !*more;
    if (stream_read_) {
      if (auto done = find_segments(); !done) return base::Unexpected(done.error());
    }
    if (!stream_read_ || chunks_ == 0) {  // the header needs a batch even when no block follows
      chunk.sequence = chunks_++;
      return true;
    }
  }
  if (next_of_segments(chunk)) return true;
  tell_end();
  return false;
}

base::result<void> NativeReader::find_segments() {
  if (framing().rules().ended() || header_.stream == 0) return {};
  const bool asked = !segments_path_.empty();
  const std::string path = source().path();
  if (!asked && path.empty()) return {};
  auto found = Segments::open(asked ? segments_path_ : path + ".segments", header_.stream,
                              framing().rules().segments_taken());
  if (!found && asked) return base::Unexpected(found.error());
  if (!found && found.error().code != Code::open_failed) no_segments_ = found.error().detail;
  if (!found) return {};
  segments_ = std::move(*found);
  auto context = std::make_shared<Context>(*framing().rules().last_context());
  context->recovered = true;
  recovered_ = std::move(context);
  return {};
}

bool NativeReader::next_of_segments(event::Chunk& chunk) {
  if (!segments_ || !segments_->next(chunk.bytes)) return false;
  chunk.offset = framing().stream().offset();
  chunk.sequence = chunks_++;
  chunk.context = recovered_;
  return true;
}

void NativeReader::tell_end() {
  if (end_told_) return;
  end_told_ = true;
  const base::Place end{.offset = framing().stream().offset()};
  if (segments_) {
    framing().notices().add(Code::segments_read, end, 0,
                            fmt::format("{} events", segments_->events()));
    if (segments_->damaged() != 0)
      framing().notices().add(Code::segments_damaged, end, 0,
                              fmt::format("{}", segments_->damaged()));
  } else if (!framing().rules().ended() &&
             framing().notices().find(Code::frame_truncated) == nullptr) {
    framing().notices().add(Code::end_missing, end, 0, no_segments_);
  }
}

void NativeReader::decode(const event::Chunk& chunk, event::Batch& batch) const {
  batch.clear();
  batch.offset = chunk.offset;
  if (chunk.sequence == 0 && !header_damaged_) batch.tally.frame_bytes += sizeof(StreamHeader);
  if (chunk.bytes.empty()) return;
  const auto& context = *static_cast<const Context*>(chunk.context.get());
  BlockReader reader(context, batch);
  const base::Bytes bytes(chunk.bytes);
  for (std::size_t at = 0; at < bytes.size();) {
    const BlockHeader header = load_header(bytes.data() + at);
    const base::Bytes payload = bytes.subspan(at + sizeof header, header.length);
    reader.read(header, payload, chunk.offset + at);
    at += sizeof header + payload.size();
  }
  if (!context.recovered) return;
  // These bytes are not of the input.
  batch.tally.frames = batch.tally.frame_bytes = 0;
  for (auto& records : batch.tally.records) records.bytes = 0;
}

}  // namespace polytrace::format::native
