// SPDX-License-Identifier: Apache-2.0
#include "analysis/object_index.hpp"

#include <algorithm>

#include "analysis/seeded_hash.hpp"

namespace polytrace::analysis {
namespace {

constexpr std::size_t kSmallest = 1024;

unsigned shift_for(std::size_t places) {
  return static_cast<unsigned>(64 - std::countr_zero(places / 8));
}

}  // namespace

ObjectIndex::ObjectIndex()
    : pages_(kSmallest),
      mask_(kSmallest - 1),
      shift_(shift_for(kSmallest)),
      multiplier_(process_seed() | 1) {}

void ObjectIndex::clear() {
  std::ranges::fill(pages_, Page{});
  used_ = objects_ = 0;
  last_ = nullptr;
}

std::size_t ObjectIndex::claim(std::uint64_t number) {
  if (used_ >= pages_.size() / 2) grow();
  const std::size_t at = find(number);
  pages_[at].number = number;
  ++used_;
  return at;
}

void ObjectIndex::grow() {
  std::vector<Page> old(pages_.size() * 2);
  old.swap(pages_);
  mask_ = pages_.size() - 1;
  shift_ = shift_for(pages_.size());
  last_ = nullptr;
  for (const Page& page : old)
    if (page.bits != 0) pages_[find(page.number)] = page;
}

void ObjectIndex::seal() {
  std::uint32_t first = 0;
  for (Page& page : pages_) {
    page.first = first;
    first += ones(page.bits);
  }
}

}  // namespace polytrace::analysis
