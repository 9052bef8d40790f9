// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/lines/records.hpp"

#include <array>

namespace polytrace::format::tracelog {
namespace {

#define ITEM(type, name) ItemInfo{Item::type, #name},
#define RECORD(Name, key, dialects, ...) constexpr ItemInfo k_##Name[] = {__VA_ARGS__};
#include "format/tracelog/lines/records.def"
#undef RECORD
#undef ITEM

constexpr std::array kRecords{
#define RECORD(Name, key, dialects, ...) Record{Key::Name, key, In::dialects, k_##Name},
#include "format/tracelog/lines/records.def"
#undef RECORD
};

constexpr std::uint64_t packed(const char* key) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < kKeyBytes; ++i)
    all |= std::uint64_t{static_cast<unsigned char>(key[i])} << (8 * i);
  return all;
}

// By slot, and the next ones where that is taken: the number of a record and 1, 0 for none.
constexpr unsigned kSlotBits = 7;
constexpr std::size_t slot_of(std::uint64_t key) {
  return (key * 0x9e3779b97f4a7c15U) >> (64 - kSlotBits);
}
constexpr std::array kSlots = [] {
  std::array<std::uint8_t, (std::size_t{1} << kSlotBits) + kRecords.size()> slots{};
  for (std::size_t i = 0; i < kRecords.size(); ++i) {
    std::size_t slot = slot_of(packed(kRecords[i].key.data()));
    while (slots[slot] != 0) ++slot;
    slots[slot] = static_cast<std::uint8_t>(i + 1);
  }
  return slots;
}();

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

std::span<const Record> records() { return kRecords; }

const Record* find_record(const char* key) {
  for (std::size_t slot = slot_of(packed(key)); kSlots[slot] != 0; ++slot) {
    const Record& found = kRecords[kSlots[slot] - 1U];
    if (std::memcmp(found.key.data(), key, kKeyBytes) == 0) return &found;
  }
  return nullptr;
}

bool is_key(const char* key) {
  for (std::size_t i = 0; i < kKeyBytes; ++i) {
    if (i == 3 ? key[i] != ' ' : !is_letter(key[i])) return false;
  }
  return true;
}

}  // namespace polytrace::format::tracelog
