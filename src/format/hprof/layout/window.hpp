// SPDX-License-Identifier: Apache-2.0
// The part of a source that is being looked at: as much as is asked for, and what was read behind
// it. One thread at a time.
#pragma once

#include <algorithm>

#include "base/io/source.hpp"

namespace polytrace::format::hprof {

class Window {
 public:
  Window(base::Source& source, std::uint64_t offset) : source_(source), offset_(offset) {}

  // Reads until `count` bytes are there, or the source ends.
  base::result<void> want(std::size_t count) {
    while (view().size() < count && !ended_) {
      bytes_.drop_front(begin_);
      begin_ = 0;
      // What a length claims may never come.
      const std::size_t room = std::clamp(count - bytes_.size(), kPiece, kMostAtOnce);
      const auto got = base::append_from(source_, bytes_, room);
      if (!got) return base::Unexpected(got.error());
      ended_ = *got == 0;
    }
    return {};
  }
  base::Bytes view() const { return base::Bytes(bytes_).subspan(begin_); }
  std::uint64_t offset() const { return offset_; }  // of view() in the stream
  bool ended() const { return ended_; }
  // REQUIRES: that many in view().
  void take(std::size_t count) {
    begin_ += count;
    offset_ += count;
  }
  // Passes over as many as there are, without keeping them; how many there were.
  base::result<std::uint64_t> skip(std::uint64_t count) {
    for (std::uint64_t left = count;;) {
      const std::uint64_t here = std::min<std::uint64_t>(left, view().size());
      take(here);
      left -= here;
      if (left == 0 || ended_) return count - left;
      if (auto done = want(1); !done) return base::Unexpected(done.error());
    }
  }

 private:
  static constexpr std::size_t kPiece = 256 * 1024;
  static constexpr std::size_t kMostAtOnce = 1024 * 1024;

  base::Source& source_;
  base::RawArray<std::byte> bytes_;
  std::size_t begin_ = 0;
  std::uint64_t offset_;
  bool ended_ = false;
};

}  // namespace polytrace::format::hprof
