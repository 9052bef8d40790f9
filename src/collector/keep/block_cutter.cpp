// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/block_cutter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/io/crc32c.hpp"
#include "format/native/framing.hpp"

namespace polytrace::collector {
namespace {

using base::Bytes;
using base::Code;
using format::native::BlockHeader;
using format::native::kBlockMark;
using format::native::kStreamMagic;
using format::native::StreamHeader;

base::result<std::size_t> header_size(Bytes front) {
  const std::uint64_t magic = kStreamMagic;
  if (std::memcmp(front.data(), &magic, std::min(front.size(), sizeof magic)) != 0)
    return base::fail(Code::not_recognised);
  if (front.size() < sizeof(StreamHeader)) return sizeof(StreamHeader);
  const auto header = base::load_le<StreamHeader>(front.data());
  if (!is_sealed(header)) return base::fail(Code::header_damaged);
  if (header.major != format::native::kMajor)
    return base::fail(Code::version_unsupported, fmt::format("version {}", header.major));
  return sizeof header;
}

base::result<std::size_t> block_size(Bytes front) {
  const std::uint32_t mark = kBlockMark;
  if (std::memcmp(front.data(), &mark, std::min(front.size(), sizeof mark)) != 0)
    return base::fail(Code::block_damaged);
  if (front.size() < sizeof(BlockHeader)) return sizeof(BlockHeader);
  const BlockHeader header = format::native::load_header(front.data());
  if (!is_sealed(header)) return base::fail(Code::block_damaged);
  const std::size_t size = sizeof header + header.length;
  if (size > BlockCutter::kMostBlock)
    return base::fail(Code::limit_exceeded, fmt::format("a block of {} bytes", size));
  return size;
}

}  // namespace

// How much the front needs to be whole: its header first. REQUIRES: front is not empty.
base::result<std::size_t> BlockCutter::wanted(Bytes front) const {
  auto size = offset_ == 0 ? header_size(front) : block_size(front);
  if (!size) size.error().place.offset = offset_;
  return size;
}

base::result<void> BlockCutter::tell(Bytes whole, const Take& take) {
  Block block{kHeader, offset_, whole};
  if (offset_ != 0) {
    const BlockHeader header = format::native::load_header(whole.data());
    if (base::crc32c(whole.subspan(sizeof header)) != header.payload_crc)
      return base::fail(Code::block_checksum, fmt::format("block {}", header.index),
                        {.offset = offset_});
    block.index = header.index;
    ended_ = header.content == format::native::Content::end;
  }
  if (auto done = take(block); !done) return done;
  offset_ += whole.size();
  return {};
}

// How much of them is whole; the rest is the beginning of one that is not.
base::result<std::size_t> BlockCutter::feed_whole(Bytes bytes, const Take& take) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const Bytes rest = bytes.subspan(at);
    const auto size = wanted(rest);
    if (!size) return size;
    if (*size > rest.size()) break;
    if (auto done = tell(rest.first(*size), take); !done) return base::Unexpected(done.error());
    at += *size;
  }
  return at;
}

base::result<void> BlockCutter::feed(Bytes bytes, const Take& take) {
  if (failed_) return base::fail(Code::block_damaged, "nothing is taken behind an error");
  const auto fails = [&](const base::Error& error) {
    failed_ = true;
    partial_ = {};
    return base::Unexpected(error);
  };
  while (!partial_.empty() && !bytes.empty()) {
    const auto size = wanted(partial_);
    if (!size) return fails(size.error());
    partial_.reserve(*size);
    const std::size_t lacks = std::min(*size - partial_.size(), bytes.size());
    partial_.insert(partial_.end(), bytes.begin(),
                    bytes.begin() + static_cast<std::ptrdiff_t>(lacks));
    bytes = bytes.subspan(lacks);
    const auto whole = wanted(partial_);
    if (!whole) return fails(whole.error());
    if (*whole != partial_.size()) continue;
    const std::vector<std::byte> block = std::exchange(partial_, {});
    if (auto done = tell(block, take); !done) return fails(done.error());
  }
  const auto told = feed_whole(bytes, take);
  if (!told) return fails(told.error());
  const Bytes rest = bytes.subspan(*told);
  partial_.insert(partial_.end(), rest.begin(), rest.end());
  return {};
}

}  // namespace polytrace::collector
