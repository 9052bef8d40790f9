// SPDX-License-Identifier: Apache-2.0
// Numbers the objects of a heap by their addresses and finds them again: a bit per 8 bytes of heap
// in blocks of 2 KiB of heap, which a hash table finds. About two bytes an object in a dense heap,
// some 80 when every object has its own block; no sorting. One thread at a time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace polytrace::analysis {

// Phases: add() everything, then seal(), then rank(); clear() starts again with the same memory.
class ObjectIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  ObjectIndex();
  void clear();
  // False when it was there before.
  bool add(base::Id address) {
    const std::uint64_t place = spread(address);
    std::uint64_t& bits = make_block(place >> kBlockBits).bits[word_of(place)];
    if ((bits & bit_of(place)) != 0) return false;
    bits |= bit_of(place);
    ++objects_;
    return true;
  }
  // Gives every object its number, 0 to objects() - 1.
  void seal();
  // The number of the object at `address`, kNone when none was added there.
  std::uint32_t rank(base::Id address) const {
    const std::uint64_t place = spread(address);
    const std::uint32_t slot = slots_[find(place >> kBlockBits)];
    if (slot == 0) return kNone;
    const Block& block = blocks_[slot - 1];
    const std::uint64_t bits = block.bits[word_of(place)];
    if ((bits & bit_of(place)) == 0) return kNone;
    return block.first[word_of(place)] + ones(bits & (bit_of(place) - 1));
  }
  // Where rank() will probably read, to prefetch. (A function that only prefetches looks like one
  // without effect to g++ 12: it leaves the call out.)
  const void* place_of(base::Id address) const {
    const std::uint32_t slot = slots_[home(spread(address) >> kBlockBits)];
    return blocks_.data() + slot - (slot != 0);
  }
  std::uint32_t objects() const { return objects_; }

 private:
  static constexpr unsigned kBlockBits = 8;  // bits of a block's 256 places
  // One cache line.
  struct alignas(64) Block {
    std::uint64_t number = 0;
    std::array<std::uint64_t, 4> bits{};
    std::array<std::uint32_t, 4> first{};  // number of the first object of each word
  };

  // Without the processor's own instruction std::popcount is a call.
  static std::uint32_t ones(std::uint64_t bits) {
    bits -= (bits >> 1) & 0x5555555555555555U;
    bits = (bits & 0x3333333333333333U) + ((bits >> 2) & 0x3333333333333333U);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fU;
    return static_cast<std::uint32_t>((bits * 0x0101010101010101U) >> 56);
  }
  // Objects are mostly aligned to 8 bytes: the three bits that say nothing go out of the way.
  static std::uint64_t spread(base::Id address) { return std::rotr(address, 3); }
  static std::size_t word_of(std::uint64_t place) { return (place >> 6) & 3; }
  static std::uint64_t bit_of(std::uint64_t place) { return std::uint64_t{1} << (place & 63); }

  // Runs of eight blocks stay together; where a run lies cannot be foretold from the file.
  std::size_t home(std::uint64_t number) const {
    return (((number >> 3) * multiplier_) >> shift_ << 3) | (number & 7);
  }
  // The slot of a block or the free slot where it would be.
  std::size_t find(std::uint64_t number) const {
    std::size_t at = home(number);
    while (slots_[at] != 0 && blocks_[slots_[at] - 1].number != number) at = (at + 1) & mask_;
    return at;
  }
  Block& make_block(std::uint64_t number) {
    if (last_ < blocks_.size() && blocks_[last_].number == number) return blocks_[last_];
    const std::uint32_t slot = slots_[find(number)];
    last_ = slot == 0 ? add_block(number) : slot - 1;
    return blocks_[last_];
  }
  std::size_t add_block(std::uint64_t number);
  void grow();

  std::vector<Block> blocks_;         // in order of first sight
  std::vector<std::uint32_t> slots_;  // index in blocks_ + 1, 0 = free
  std::size_t mask_;
  unsigned shift_;
  std::uint64_t multiplier_;  // random, odd
  std::uint32_t objects_ = 0;
  std::size_t last_ = 0;  // block of the last add()
};

}  // namespace polytrace::analysis
