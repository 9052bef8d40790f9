// SPDX-License-Identifier: Apache-2.0
#include "agent/common/stream/block_writer.hpp"

#include <cstring>
#include <new>

#include "agent/common/memory/pages.hpp"
#include "format/native/wire/sealing.hpp"

namespace polytrace::agent {
namespace {

using format::native::BlockHeader;
using format::native::Content;

// A full segment of the largest size becomes one block, whatever it holds.
constexpr std::size_t kScratchBytes = 512 << 10;
constexpr std::size_t kBufferBytes = 1 << 20;

}  // namespace

bool BlockWriter::start(Output& output, Status& status, std::uint64_t stream) {
  output_ = &output;
  status_ = &status;
  buffer_ = zeroed_pages<std::byte>(kBufferBytes);
  scratch_ = zeroed_pages<std::byte>(kScratchBytes);
  auto* const encoder = zeroed_pages<format::native::RecordEncoder>(1);
  if (buffer_ == nullptr || scratch_ == nullptr || encoder == nullptr) return false;
  encoder_ = new (encoder) format::native::RecordEncoder;
  format::native::StreamHeader header;
  header.stream = stream;
  format::native::seal(header);
  append(&header, sizeof header);
  return true;
}

format::native::RecordEncoder& BlockWriter::begin(std::uint64_t first_tick, base::Id thread) {
  encoder_->begin(scratch_, kScratchBytes, first_tick, thread);
  return *encoder_;
}

void BlockWriter::finish(std::uint64_t segment, std::uint32_t before, std::uint32_t after) {
  BlockHeader header;
  encoder_->describe(header);
  header.segment = segment;
  header.words_before = before;
  header.words_after = after;
  put(header, encoder_->payload());
}

void BlockWriter::put(BlockHeader header, base::Bytes payload) {
  // A block is written whole, so that a full disk leaves none in pieces.
  if (sizeof header + payload.size() > kBufferBytes - filled_) flush();
  header.index = index_++;
  format::native::seal(header, payload);
  append(&header, sizeof header);
  append(payload.data(), payload.size());
  events_ += header.events;
}

void BlockWriter::put_clock(const format::native::ClockLine& line) {
  BlockHeader header;
  header.content = Content::clock;
  header.first_tick = header.last_tick = line.tick0;
  put(header, std::as_bytes(std::span(&line, 1)));
}

void BlockWriter::append(const void* bytes, std::size_t size) {
  if (error_ != 0 || size == 0) return;
  std::memcpy(buffer_ + filled_, bytes, size);
  filled_ += size;
}

int BlockWriter::flush() {
  if (error_ != 0 || filled_ == 0) return error_;
  error_ = output_->write(buffer_, filled_);
  if (error_ != 0) return error_;
  filled_ = 0;
  written_ = index_;
  status_->bytes.store(output_->written(), std::memory_order_relaxed);
  status_->blocks.store(index_, std::memory_order_relaxed);
  status_->events.fetch_add(events_, std::memory_order_relaxed);
  events_ = 0;
  return 0;
}

void BlockWriter::release() {
  free_pages(buffer_, kBufferBytes);
  free_pages(scratch_, kScratchBytes);
  free_pages(encoder_, 1);
}

int BlockWriter::end(std::uint64_t tick) {
  BlockHeader header;
  header.content = Content::end;
  header.first_tick = header.last_tick = tick;
  put(header, {});
  return flush();
}

}  // namespace polytrace::agent
