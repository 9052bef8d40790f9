// SPDX-License-Identifier: Apache-2.0
// Numbers the objects of a heap by their addresses and finds them again: a bit per 8 bytes of heap
// in 512-byte pages, pages in a hash table. About two bytes an object in a dense heap and at most
// 48 when every object has its own page; no sorting. One thread at a time.
#pragma once

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
    Page& page = make_page(page_of(address));
    const std::uint64_t bit = bit_of(address);
    if ((page.bits & bit) != 0) return false;
    page.bits |= bit;
    ++objects_;
    return true;
  }
  // Gives every object its number, 0 to objects() - 1.
  void seal();
  // The number of the object at `address`, kNone when none was added there.
  std::uint32_t rank(base::Id address) const {
    const Page& page = pages_[find(page_of(address))];
    const std::uint64_t bit = bit_of(address);
    if ((page.bits & bit) == 0) return kNone;
    return page.first + ones(page.bits & (bit - 1));
  }
  // Brings what rank() will read into the cache.
  void prefetch(base::Id address) const { __builtin_prefetch(&pages_[home(page_of(address))]); }
  std::uint32_t objects() const { return objects_; }

 private:
  static constexpr unsigned kPageBits = 6;  // units in a page
  struct Page {
    std::uint64_t number = 0;
    std::uint64_t bits = 0;   // 0 = the place is free
    std::uint32_t first = 0;  // number of its first object
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
  static std::uint64_t page_of(base::Id address) { return spread(address) >> kPageBits; }
  static std::uint64_t bit_of(base::Id address) {
    return std::uint64_t{1} << (spread(address) & 63);
  }
  // Runs of eight pages stay together; where a run lies cannot be foretold from the file.
  std::size_t home(std::uint64_t number) const {
    return (((number >> 3) * multiplier_) >> shift_ << 3) | (number & 7);
  }
  // The place of a page or the free place where it would be.
  std::size_t find(std::uint64_t number) const {
    std::size_t at = home(number);
    while (pages_[at].bits != 0 && pages_[at].number != number) at = (at + 1) & mask_;
    return at;
  }
  Page& make_page(std::uint64_t number) {
    if (last_ != nullptr && last_->number == number) return *last_;
    std::size_t at = find(number);
    if (pages_[at].bits == 0) at = claim(number);
    last_ = &pages_[at];
    return *last_;
  }
  std::size_t claim(std::uint64_t number);
  void grow();

  std::vector<Page> pages_;
  std::size_t used_ = 0;
  std::size_t mask_ = 0;
  unsigned shift_ = 0;
  std::uint64_t multiplier_;  // random, odd
  std::uint32_t objects_ = 0;
  Page* last_ = nullptr;
};

}  // namespace polytrace::analysis
