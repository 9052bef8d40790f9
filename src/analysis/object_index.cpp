// SPDX-License-Identifier: Apache-2.0
#include "analysis/object_index.hpp"

#include <algorithm>

#include "analysis/seeded_hash.hpp"

namespace polytrace::analysis {
namespace {

constexpr std::size_t kSmallest = 1024;

unsigned shift_for(std::size_t slots) {
  return static_cast<unsigned>(64 - std::countr_zero(slots / 8));
}

}  // namespace

ObjectIndex::ObjectIndex()
    : slots_(kSmallest),
      mask_(kSmallest - 1),
      shift_(shift_for(kSmallest)),
      multiplier_(process_seed() | 1) {}

void ObjectIndex::clear() {
  std::ranges::fill(slots_, 0U);
  blocks_.clear();
  objects_ = 0;
  last_ = 0;
}

std::size_t ObjectIndex::add_block(std::uint64_t number) {
  if (blocks_.size() >= slots_.size() / 2) grow();
  blocks_.emplace_back().number = number;
  slots_[find(number)] = static_cast<std::uint32_t>(blocks_.size());
  return blocks_.size() - 1;
}

void ObjectIndex::grow() {
  slots_.assign(slots_.size() * 2, 0);
  mask_ = slots_.size() - 1;
  shift_ = shift_for(slots_.size());
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) slots_[find(blocks_[i].number)] = i + 1;
}

void ObjectIndex::seal() {
  std::uint32_t first = 0;
  for (Block& block : blocks_)
    for (std::size_t word = 0; word < block.bits.size(); ++word) {
      block.first[word] = first;
      first += ones(block.bits[word]);
    }
}

}  // namespace polytrace::analysis
