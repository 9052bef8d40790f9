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

// Blocks without the header before and the end behind them.
std::vector<std::byte> blocks_with(const event::Batch& batch) {
  std::vector<std::byte> bytes;
  auto writer = format::native::create_writer(base::memory_sink(bytes), {});
  if (!writer || !(*writer)->write(batch) || !(*writer)->finish()) return {};
  bytes.resize(bytes.size() - sizeof(BlockHeader));
  bytes.erase(bytes.begin(), bytes.begin() + sizeof(StreamHeader));
  return bytes;
}

}  // namespace

bool is_context(base::Bytes block) {
  const Content content = format::native::load_header(block.data()).content;
  return content == Content::clock || content == Content::sites;
}

bool is_end(base::Bytes block) {
  return format::native::load_header(block.data()).content == Content::end;
}

std::vector<std::byte> definitions_of(const event::Batch& batch) {
  thread_local event::Batch kept;
  kept.clear();
  for (const event::Event& event : batch.events)
    if (defines(event)) event::copy_event(batch, event, kept);
  return kept.events.empty() ? std::vector<std::byte>() : blocks_with(kept);
}

}  // namespace polytrace::collector
