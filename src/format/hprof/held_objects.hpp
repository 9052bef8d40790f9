// SPDX-License-Identifier: Apache-2.0
// What is remembered of the objects of a heap dump: those whose classes stand behind them, and
// which were told. One thread at a time.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "base/io/scratch_file.hpp"
#include "base/raw_array.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::format::hprof {

// As they are in the file, until the classes are known: the last MiB of them in memory, the others
// in a temporary file.
class HeldObjects {
 public:
  // `offset`: of the part in the file.
  base::result<void> add(base::Bytes part, std::uint64_t offset);
  bool empty() const { return blocks_.empty() && last_.empty(); }
  // Moves a block to the end of `out`: parts in order, each behind its offset, 8 bytes little
  // endian. Nothing is added any more until it is empty.
  base::result<void> take(base::RawArray<std::byte>& out);

 private:
  base::ScratchFile file_;
  std::uint64_t begin_ = 0;            // in the file, of what was not taken
  std::vector<std::uint64_t> blocks_;  // where each ends in it
  std::size_t taken_ = 0;
  base::RawArray<std::byte> last_;
};

// A bit for each place of 8 bytes, in blocks of 4 KiB of heap: a 64th of the heap's size; some 100
// bytes an object at worst, when each lies in a block of its own.
class ToldObjects {
 public:
  // Whether it is the first time.
  bool insert(base::Id object) {
    // What says nothing of most ids, being aligned, goes out of the way.
    const std::uint64_t place = std::rotr(object, 3);
    const std::uint64_t number = place / kPlaces;
    if (blocks_.empty() || number != last_number_) {
      last_ =
          numbers_.try_emplace(number, static_cast<std::uint32_t>(blocks_.size())).first->second;
      if (last_ == blocks_.size()) blocks_.emplace_back();
      last_number_ = number;
    }
    std::uint64_t& word = blocks_[last_][place % kPlaces / kWord];
    const std::uint64_t bit = std::uint64_t{1} << place % kWord;
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  void clear() {
    numbers_.clear();
    blocks_.clear();
  }

 private:
  static constexpr std::uint64_t kWord = 64;
  static constexpr std::uint64_t kPlaces = 8 * kWord;
  using Block = std::array<std::uint64_t, kPlaces / kWord>;

  base::IdMap<std::uint32_t> numbers_;  // in blocks_
  std::vector<Block> blocks_;
  std::uint64_t last_number_ = 0;
  std::uint32_t last_ = 0;
};

}  // namespace polytrace::format::hprof
