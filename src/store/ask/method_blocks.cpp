// SPDX-License-Identifier: Apache-2.0
#include "store/ask/method_blocks.hpp"

#include <algorithm>

namespace polytrace::store {

MethodBlocks::MethodBlocks(const CallFrames& frames, MethodSet methods)
    : frames_(frames), paths_(frames.paths().size()) {
  std::ranges::sort(methods);
  const Paths& paths = frames.paths();
  for (std::uint32_t path = 0; path < paths.size(); ++path) {
    const std::uint32_t method = paths.method(path);
    paths_[path] = method != kNoMethod && std::ranges::binary_search(methods, method);
  }
}

bool MethodBlocks::any_named() {
  const bool any = std::ranges::any_of(
      read_, [&](const PathSum& sum) { return sum.calls != 0 && paths_[sum.path]; });
  read_.clear();
  return any;
}

base::result<bool> MethodBlocks::names(std::uint32_t thread, std::uint32_t place) {
  const auto payload = frames_.payload(thread, place);
  if (!payload) return base::Unexpected(payload.error());
  const auto read = read_block_sums(*payload, frames_.paths().size(), read_);
  if (!read) return base::Unexpected(read.error());
  return any_named();
}

base::result<bool> MethodBlocks::names(const Sums& sums) {
  const auto payload = frames_.payload(sums);
  if (!payload) return base::Unexpected(payload.error());
  const auto read = read_sums(*payload, frames_.paths().size(), read_);
  if (!read) return base::Unexpected(read.error());
  return any_named();
}

// Sums that begin with a block, the largest first: those that name none are passed as a whole, and
// of those that name one the smaller are asked.
base::result<std::uint32_t> MethodBlocks::next(std::uint32_t thread, std::uint32_t place,
                                               std::uint32_t end) {
  const auto all = frames_.sums(thread);
  while (place < end) {
    std::uint32_t passed = 0;
    auto sums = std::ranges::lower_bound(all, place, {}, &Sums::first);
    for (; sums != all.end() && sums->first == place && passed == 0; ++sums) {
      if (sums->blocks > end - place) continue;
      const auto named = names(*sums);
      if (!named) return base::Unexpected(named.error());
      if (!*named) passed = sums->blocks;
    }
    if (passed == 0) {
      const auto named = names(thread, place);
      if (!named) return base::Unexpected(named.error());
      if (*named) return place;
      passed = 1;
    }
    place += passed;
  }
  return end;
}

base::result<std::uint32_t> MethodBlocks::previous(std::uint32_t thread, std::uint32_t place,
                                                   std::uint32_t end) {
  const auto end_of = [](const Sums& sums) { return sums.first + sums.blocks; };
  if (by_end_of_ != thread) {
    const auto all = frames_.sums(thread);
    by_end_.assign(all.begin(), all.end());
    std::ranges::stable_sort(by_end_, {}, end_of);  // of equal ends the largest stay first
    by_end_of_ = thread;
  }
  for (std::uint32_t behind = end; behind > place;) {
    std::uint32_t passed = 0;
    auto sums = std::ranges::lower_bound(by_end_, behind, {}, end_of);
    for (; sums != by_end_.end() && end_of(*sums) == behind && passed == 0; ++sums) {
      if (sums->first < place) continue;
      const auto named = names(*sums);
      if (!named) return base::Unexpected(named.error());
      if (!*named) passed = sums->blocks;
    }
    if (passed == 0) {
      const auto named = names(thread, behind - 1);
      if (!named) return base::Unexpected(named.error());
      if (*named) return behind - 1;
      passed = 1;
    }
    behind -= passed;
  }
  return end;
}

}  // namespace polytrace::store
