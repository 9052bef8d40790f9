// SPDX-License-Identifier: Apache-2.0
// What a chunk needs of what stands before it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/seeded_hash.hpp"
#include "event/batch.hpp"
#include "format/hprof/layout/classes.hpp"

namespace polytrace::format::hprof {

// Elements of an array that is too long to be held whole.
struct ArrayPiece {
  Id object = 0;
  Id type = 0;
  std::uint64_t size = 0;   // in memory; 0 behind the first piece
  std::uint64_t first = 0;  // number of the first element
  bool references = true;   // or values, which are not given at all
  bool again = false;       // it was told before: nothing is given
};

// Of the classes in a chunk, by the ids of the texts.
using FieldNames = base::IdMap<std::string>;

struct Context {
  // Events of records that are no heap dump; then the rest has no meaning.
  std::shared_ptr<const event::Batch> said{};

  base::Time time = 0;
  Classes classes{};
  Special special{};
  std::shared_ptr<const FieldNames> field_names{};
  // Where parts begin of which nothing is told: objects whose classes stand behind them, which come
  // once more, and what was told before.
  std::vector<std::size_t> passed{};
  bool again = false;               // objects that were passed: each behind 8 bytes, its offset
  std::uint16_t named_by_type = 0;  // a bit for each type of values whose arrays are met first
  std::uint64_t segment_heads = 0;  // bytes of heads of segments that begin here
  std::uint64_t starts = 0;         // the dump that begins here; 0: none
  std::optional<ArrayPiece> array{};
  std::uint64_t array_bytes = 0;  // that the chunk does not hold: its head, or all values
};

}  // namespace polytrace::format::hprof
