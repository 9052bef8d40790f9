// SPDX-License-Identifier: Apache-2.0
// Which blocks enter calls of some methods: sums over many blocks that do not name them leave all
// of those out. One thread at a time.
#pragma once

#include <vector>

#include "store/read/block_events.hpp"
#include "store/read/call_frames.hpp"

namespace polytrace::store {

using MethodSet = std::vector<std::uint32_t>;  // indexes

class MethodBlocks {
 public:
  // `frames` must outlive it.
  MethodBlocks(const CallFrames& frames, MethodSet methods);

  bool has(std::uint32_t path) const { return paths_[path]; }
  // The first of blocks [place, end) that enters such a call; `end`: none does. Errors: those of
  // frames.
  base::result<std::uint32_t> next(std::uint32_t thread, std::uint32_t place, std::uint32_t end);
  // The last one of them.
  base::result<std::uint32_t> previous(std::uint32_t thread, std::uint32_t place,
                                       std::uint32_t end);

 private:
  using Sums = CallFrames::Sums;

  base::result<bool> names(std::uint32_t thread, std::uint32_t place);
  base::result<bool> names(const Sums& sums);
  bool any_named();

  const CallFrames& frames_;
  std::vector<bool> paths_;
  std::vector<PathSum> read_;
  std::vector<Sums> by_end_;  // of one thread
  std::uint32_t by_end_of_ = ~std::uint32_t{0};
};

}  // namespace polytrace::store
