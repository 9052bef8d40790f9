// SPDX-License-Identifier: Apache-2.0
// The bytes of one native stream, as they come, cut into whole blocks: bounds and both checksums
// are right. It holds at most one block, and nothing between blocks. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::collector {

class BlockCutter {
 public:
  // With its header; the format allows more.
  static constexpr std::size_t kMostBlock = std::size_t{1} << 20;
  // The index of the stream's own header, which is told like a block before the first one.
  static constexpr std::uint64_t kHeader = ~std::uint64_t{0};

  // `offset`: of the first byte that comes, in the stream. Behind 0 a block stands there, and no
  // header comes.
  explicit BlockCutter(std::uint64_t offset = 0) : offset_(offset) {}

  struct Block {
    std::uint64_t index = 0;
    std::uint64_t offset = 0;
    base::Bytes bytes{};  // with its header; valid while it is told
  };
  using Take = std::function<base::result<void>(const Block&)>;

  // Tells each block that is whole. Errors: those of `take`; not_recognised, version_unsupported,
  // header_damaged (no such stream); block_damaged, block_checksum, limit_exceeded (too large).
  // After an error nothing more is taken: begin anew where the last whole block ended.
  base::result<void> feed(base::Bytes bytes, const Take& take);

  std::uint64_t offset() const { return offset_; }  // where the last whole block ended
  std::size_t held() const { return partial_.size(); }
  bool ended() const { return ended_; }  // the last block was the stream's end

 private:
  base::result<std::size_t> wanted(base::Bytes front) const;
  base::result<void> tell(base::Bytes whole, const Take& take);
  base::result<std::size_t> feed_whole(base::Bytes bytes, const Take& take);

  std::uint64_t offset_;
  std::vector<std::byte> partial_;
  bool ended_ = false;
  bool failed_ = false;
};

}  // namespace polytrace::collector
