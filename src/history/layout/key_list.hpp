// SPDX-License-Identifier: Apache-2.0
// The keys of a history with their types and slots, as KEYS frames list them
// (docs/formats/state-history.md, "KEYS"). A slot is a timeline's place in the entry and exit
// tables: within each class, which is all timelines of one type, slots are given in the order of
// listing. One thread at a time.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/appender.hpp"
#include "base/result.hpp"
#include "base/seeded_hash.hpp"
#include "history/layout/state.hpp"
#include "history/model/tree.hpp"

namespace polytrace::history {

// Classes 0 to 15 by type code, then the timelines without a type.
inline constexpr std::size_t kClasses = kMostCode + 2;
constexpr std::size_t class_of(TypeCode code) { return code == kOpenCode ? kClasses - 1 : code; }
constexpr TypeCode code_of_class(std::size_t number) {
  return number == kClasses - 1 ? kOpenCode : static_cast<TypeCode>(number);
}

// Gives keys dense indexes in order of first sight. Keys usually come in a row from 0, and are
// their own indexes then; of the others those below a bound are looked up in an array, the rest in
// a hash table.
class KeyTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t find(Key key) const {
    if (key < in_row_) return key;
    if (key < kNear) return key < near_.size() ? near_[key] : kNone;
    const auto found = far_.find(key);
    return found == far_.end() ? kNone : found->second;
  }
  // REQUIRES: not there yet. Indexes are given in a row from 0.
  std::uint32_t add(Key key) {
    const std::uint32_t index = size_++;
    if (key == index && key == in_row_) return in_row_++;
    if (key >= kNear) return far_[key] = index;
    if (key >= near_.size()) near_.resize(std::size_t{key} + 1 + key / 2, kNone);
    return near_[key] = index;
  }
  std::uint32_t size() const { return size_; }

 private:
  static constexpr Key kNear = 1U << 22;

  std::vector<std::uint32_t> near_;
  tsl::robin_map<Key, std::uint32_t, base::SeededHash> far_;
  std::uint32_t size_ = 0;
  std::uint32_t in_row_ = 0;  // the first keys, each its own index
};

// There may be millions of them: 32 bytes each.
struct KeyInfo {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  const char* name_at = nullptr;
  std::uint32_t name_size = 0;
  Key key = kNoKey;
  std::uint32_t slot = kNone;       // in the class of its type
  std::uint32_t open_slot = kNone;  // from before it had a type
  Key parent = kNoKey;
  TypeCode code = kOpenCode;
  bool absent_first = false;  // no interval, rather than null, before its first change
  bool listed = false;

  std::string_view name() const { return {name_at, name_size}; }
  // A view. REQUIRES: shorter than 4 GiB.
  void set_name(std::string_view name) {
    name_at = name.data();
    name_size = static_cast<std::uint32_t>(name.size());
  }
  Tag first_tag() const { return absent_first ? kAbsentTag : kNullTag; }
};

// What a segment needs to know of a timeline.
struct Line {
  Key key;
  std::uint32_t index;
  std::uint32_t slot;
  std::uint32_t open_slot;
  TypeCode code;
  bool absent_first;
};

class KeyList {
 public:
  static constexpr std::uint32_t kNone = KeyTable::kNone;

  std::uint32_t find(Key key) const { return table_.find(key); }
  // REQUIRES: not there yet.
  std::uint32_t add(Key key);
  // Takes note that a KEYS frame lists the timeline as it is now.
  void list(std::uint32_t index);

  KeyInfo& operator[](std::uint32_t index) { return infos_[index]; }
  const KeyInfo& operator[](std::uint32_t index) const { return infos_[index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(infos_.size()); }
  // The indexes of the timelines of a class, by slot. One that got a type since then keeps its
  // slot among those without.
  const std::vector<std::uint32_t>& slots(std::size_t number) const;
  // Indexes in ascending order of keys. Sorts at most once after changes.
  auto in_order() const {
    if (!ascending_) sort();
    return std::views::iota(std::uint32_t{0}, size()) |
           std::views::transform([this](std::uint32_t i) { return ascending_ ? i : order_[i]; });
  }
  void reserve(std::size_t count);

 private:
  void sort() const;

  KeyTable table_;
  std::vector<KeyInfo> infos_;
  std::array<std::uint32_t, kClasses> slot_counts_{};
  mutable std::array<std::vector<std::uint32_t>, kClasses> slots_;  // made when asked for
  bool ascending_ = true;                                           // the keys, by index
  mutable std::vector<std::uint32_t> order_;                        // if they are not
};
static_assert(sizeof(KeyInfo) == 32);

// One entry of a KEYS frame.
void put_key(base::Appender& to, Key before, const KeyInfo& info);
// Adds what a KEYS payload lists; names are views into it. Errors: value_unexpected,
// count_too_large, field_past_end.
base::result<void> take_keys(base::Bytes payload, std::uint64_t offset, KeyList& keys);
// The tree that parents and names make. Names are copied. A place that two keys claim goes to the
// first; a parent that is no node, or one at kMostTreeDepth, makes the key stand alone.
Tree tree_of(const KeyList& keys);
// Single places without making the tree, which for 10^6 keys takes a second. As Tree::path() has
// it; nothing for a key that stands alone or deeper than a tree may be.
std::optional<std::string> path_of(const KeyList& keys, Key key);
// kNoKey where no key has a place of these names.
Key key_at(const KeyList& keys, std::span<const std::string> names);

}  // namespace polytrace::history
