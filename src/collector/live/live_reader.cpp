// SPDX-License-Identifier: Apache-2.0
#include "collector/live/live_reader.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "format/native/reader.hpp"

namespace polytrace::collector {

using format::native::NativeReader;
using format::native::StreamHeader;

base::result<std::size_t> Feed::read(std::span<std::byte> into) {
  waits_ = bytes_.empty() && !ended_;
  if (waits_) return base::fail(base::Code::read_failed, "nothing yet");
  const std::size_t count = std::min(into.size(), bytes_.size());
  std::copy_n(bytes_.begin(), count, into.begin());
  bytes_ = bytes_.subspan(count);
  return count;
}

LiveReader::LiveReader(std::uint64_t stream) {
  StreamHeader header;
  header.stream = stream;
  seal(header);
  auto feed = std::make_unique<Feed>();
  feed_ = feed.get();
  reader_ = std::make_unique<NativeReader>(std::move(feed), header, event::ReadOptions{});
}

void LiveReader::read(base::Bytes block, const Take& take) {
  thread_local event::Chunk chunk;
  thread_local event::Batch batch;
  feed_->give(block);
  for (;;) {
    const auto more = reader_->fetch(chunk);
    if (!more || !*more) break;  // the feed has nothing yet
    reader_->decode(chunk, batch);
    reader_->settle(chunk, batch);
    if (!batch.notices.empty())
      for (const base::Notice& notice : batch.notices.sorted()) faults_ += notice.count;
    take(batch);
  }
  chunk.context.reset();
}

}  // namespace polytrace::collector
