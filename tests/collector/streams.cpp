// SPDX-License-Identifier: Apache-2.0
#include "collector/streams.hpp"

#include <gtest/gtest.h>

#include "base/io/appender.hpp"
#include "event/copy.hpp"
#include "format/native/native.hpp"

namespace polytrace::test {
namespace {

using format::native::BlockHeader;
using format::native::Content;
using format::native::StreamHeader;

std::vector<std::byte> written(const event::Batch& batch) {
  std::vector<std::byte> bytes;
  auto writer = format::native::create_writer(base::memory_sink(bytes), {});
  EXPECT_TRUE((*writer)->write(batch) && (*writer)->finish());
  return bytes;
}

}  // namespace

std::vector<std::byte> native_stream(std::uint64_t stream, const event::Batch& all,
                                     std::size_t events_each) {
  StreamHeader header;
  header.stream = stream;
  seal(header);
  base::Appender out;
  out.fixed(header);
  std::uint64_t index = 0;
  event::Batch part;
  for (std::size_t at = 0; at < all.events.size(); at += events_each) {
    part.clear();
    for (std::size_t i = at; i < std::min(all.events.size(), at + events_each); ++i)
      event::copy_event(all, all.events[i], part);
    const bool is_last = at + events_each >= all.events.size();
    for (const OwnBlock& block : blocks_in(written(part))) {
      if (block.index == collector::BlockCutter::kHeader) continue;
      BlockHeader of = format::native::load_header(block.bytes.data());
      if (of.content == Content::end && !is_last) continue;
      of.index = index++;
      const base::Bytes payload = base::Bytes(block.bytes).subspan(sizeof of);
      seal(of, payload);
      out.fixed(of);
      out.bytes(payload);
    }
  }
  return {out.view().begin(), out.view().end()};
}

std::vector<OwnBlock> blocks_in(base::Bytes stream) {
  std::vector<OwnBlock> all;
  collector::BlockCutter cutter;
  const auto cut =
      cutter.feed(stream, [&](const collector::BlockCutter::Block& block) -> base::result<void> {
        all.push_back({block.index, block.offset, {block.bytes.begin(), block.bytes.end()}});
        return {};
      });
  EXPECT_TRUE(cut);
  EXPECT_EQ(cutter.held(), 0U);
  return all;
}

}  // namespace polytrace::test
