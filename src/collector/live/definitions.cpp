// SPDX-License-Identifier: Apache-2.0
#include "collector/live/definitions.hpp"

#include "event/copy.hpp"
#include "format/native/framing.hpp"
#include "format/native/native.hpp"

namespace polytrace::collector {
namespace {

using format::native::BlockHeader;
using format::native::Content;
using format::native::StreamHeader;

bool defines(const event::Event& event) {
  const event::Role role = event::role_of(event.kind);
  return role == event::Role::heading || role == event::Role::definition;
}

}  // namespace

// Without the header before and the end behind them.
std::vector<std::byte> blocks_with(const event::Batch& batch, std::uint64_t index) {
  std::vector<std::byte> bytes;
  auto writer = format::native::create_writer(base::memory_sink(bytes), {});
  if (!writer || !(*writer)->write(batch) || !(*writer)->finish()) return {};
  bytes.resize(bytes.size() - sizeof(BlockHeader));
  bytes.erase(bytes.begin(), bytes.begin() + sizeof(StreamHeader));
  for (std::size_t at = 0; at < bytes.size();) {
    BlockHeader header = format::native::load_header(bytes.data() + at);
    header.index = index;
    seal(header, base::Bytes(bytes).subspan(at + sizeof header, header.length));
    std::memcpy(bytes.data() + at, &header, sizeof header);
    at += sizeof header + header.length;
  }
  return bytes;
}

bool is_context(base::Bytes block) {
  const Content content = format::native::load_header(block.data()).content;
  return content == Content::clock || content == Content::sites;
}

bool is_end(base::Bytes block) {
  return format::native::load_header(block.data()).content == Content::end;
}

std::vector<std::byte> definitions_of(const event::Batch& batch, std::uint64_t index) {
  thread_local event::Batch kept;
  kept.clear();
  for (const event::Event& event : batch.events)
    if (defines(event)) event::copy_event(batch, event, kept);
  return kept.events.empty() ? std::vector<std::byte>() : blocks_with(kept, index);
}

}  // namespace polytrace::collector
