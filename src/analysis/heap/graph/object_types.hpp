// SPDX-License-Identifier: Apache-2.0
// The types of the objects of a heap by their addresses: a flat table of types for each KiB of heap
// that holds objects, which a hash table finds. A quarter of the heap's size for 16-bit types; some
// 300 bytes an object at worst, when each lies in a KiB of its own. No sorting. Written by one
// thread at a time; any number may read.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "analysis/heap/graph/block_log.hpp"
#include "base/seeded_hash.hpp"
#include "base/types.hpp"

namespace polytrace::analysis {

template <class Type>
class ObjectTypes {
 public:
  static constexpr Type kNone = std::numeric_limits<Type>::max();

  ObjectTypes() { clear(); }

  // The type at an address, to be set; kNone when it was not set before. Good until the next call.
  Type& at(base::Id address) {
    const std::uint64_t place = spread(address);
    const std::uint64_t number = place >> kPlaceBits;
    if (last_block_ == 0 || number != last_number_) {
      last_number_ = number;
      last_block_ = make_block(number);
    }
    return blocks_[last_block_][place % kPlaces];
  }
  // Where the type at an address stands: *find(address), kNone when it was not set. Until at().
  const Type* find(base::Id address) const {
    const std::uint64_t place = spread(address);
    return &blocks_[slots_[slot_of(place >> kPlaceBits)].block][place % kPlaces];
  }
  // Where find() will probably look, to prefetch.
  const void* place_of(base::Id address) const {
    return &slots_[home(spread(address) >> kPlaceBits)];
  }
  // Forgets everything but keeps the memory.
  void clear() {
    make_slots(std::max(slots_.size(), kFewestSlots));
    blocks_.clear();
    add_block();  // stands for all that are not there
    last_block_ = 0;
  }

 private:
  static constexpr unsigned kPlaceBits = 7;
  static constexpr std::size_t kPlaces = std::size_t{1} << kPlaceBits;
  static constexpr std::size_t kFewestSlots = 1024;
  static constexpr std::size_t kRun = 8;
  using Block = std::array<Type, kPlaces>;
  struct Slot {
    std::uint64_t number = 0;
    std::uint32_t block = 0;  // 0: free
  };

  // Objects are mostly aligned to 8 bytes: the three bits that say nothing go out of the way.
  static std::uint64_t spread(base::Id address) { return std::rotr(address, 3); }

  // Runs of eight blocks stay together; where a run lies cannot be foretold from the file.
  std::size_t home(std::uint64_t number) const {
    return (((number / kRun) * multiplier_) >> shift_) * kRun + number % kRun;
  }
  // The slot of a block, or the free slot where it would be.
  std::size_t slot_of(std::uint64_t number) const {
    std::size_t at = home(number);
    while (slots_[at].number != number && slots_[at].block != 0) at = (at + 1) & mask_;
    return at;
  }
  std::uint32_t make_block(std::uint64_t number) {
    std::size_t at = slot_of(number);
    if (slots_[at].block != 0) return slots_[at].block;
    if (blocks_.size() >= slots_.size() / 2) {
      grow();
      at = slot_of(number);
    }
    slots_[at] = {number, static_cast<std::uint32_t>(blocks_.size())};
    add_block();
    return slots_[at].block;
  }
  void make_slots(std::size_t count) {
    slots_.assign(count, Slot{});
    mask_ = count - 1;
    shift_ = static_cast<unsigned>(64 - std::countr_zero(count / kRun));
  }
  void add_block() {
    Block none;
    none.fill(kNone);
    blocks_.push(none);
  }
  void grow() {
    const std::vector<Slot> old = std::move(slots_);
    make_slots(old.size() * 2);
    for (const Slot& slot : old)
      if (slot.block != 0) slots_[slot_of(slot.number)] = slot;
  }

  std::vector<Slot> slots_;  // a power of two
  BlockLog<Block> blocks_;   // most of the memory: it is never copied
  std::size_t mask_ = 0;
  unsigned shift_ = 0;
  std::uint64_t multiplier_ = base::process_seed() | 1;
  // Of the last at().
  std::uint64_t last_number_ = 0;
  std::uint32_t last_block_ = 0;
};

// The types of a row of targets, some at once: the cache misses of one overlap with the others'.
template <class Types, class Log>
class TypesInTurn {
 public:
  TypesInTurn(const Types& types, const Log& targets, std::size_t first)
      : types_(types), targets_(targets), at_(first) {}
  auto next() {
    if (next_ == found_.size()) look_up();
    return *found_[next_++];
  }

 private:
  void look_up() {
    const std::size_t count = std::min(found_.size(), targets_.size() - at_);
    for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(types_.place_of(targets_[at_ + i]));
    for (std::size_t i = 0; i < count; ++i) {
      found_[i] = types_.find(targets_[at_ + i]);
      __builtin_prefetch(found_[i]);
    }
    at_ += count;
    next_ = 0;
  }

  const Types& types_;
  const Log& targets_;
  std::size_t at_;
  std::array<decltype(std::declval<const Types&>().find(0)), 32> found_{};
  std::size_t next_ = found_.size();
};

}  // namespace polytrace::analysis
