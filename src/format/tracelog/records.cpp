// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/records.hpp"

#include <array>

namespace polytrace::format::tracelog {
namespace {

#define ITEM(type, name) ItemInfo{Item::type, #name},
#define RECORD(Name, key, dialects, ...) constexpr ItemInfo k_##Name[] = {__VA_ARGS__};
#include "format/tracelog/records.def"
#undef RECORD
#undef ITEM

constexpr std::array kRecords{
#define RECORD(Name, key, dialects, ...) Record{Key::Name, key, In::dialects, k_##Name},
#include "format/tracelog/records.def"
#undef RECORD
};

constexpr std::uint64_t packed(const char* key) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < kKeyBytes; ++i)
    all |= std::uint64_t{static_cast<unsigned char>(key[i])} << (8 * i);
  return all;
}

constexpr std::array kKeys = [] {
  std::array<std::uint64_t, kRecords.size()> keys{};
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = packed(kRecords[i].key.data());
  return keys;
}();

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

std::span<const Record> records() { return kRecords; }

const Record* find_record(const char* key) {
  const std::uint64_t wanted = packed(key);
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (kKeys[i] == wanted) return &kRecords[i];
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
