// SPDX-License-Identifier: Apache-2.0
#include "store/build/rows/column_encoder.hpp"

#include <algorithm>
#include <cstring>

#include "base/frames/svb.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::store {
namespace {

struct Extremes {
  u64 least = ~u64{0};
  u64 greatest = 0;
};

Extremes extremes_of(std::span<const u64> numbers, bool is_signed) {
  const u64 flip = is_signed ? u64{1} << 63 : 0;
  Extremes all;
  for (const u64 number : numbers) {
    all.least = std::min(all.least, number ^ flip);
    all.greatest = std::max(all.greatest, number ^ flip);
  }
  return {all.least ^ flip, all.greatest ^ flip};
}

// Codes of values in order of first sight. Where values lie close together, a plain table.
class ValueCodes {
 public:
  ValueCodes(u64 least, u64 range) : least_(least) {
    if (range < kDirect) direct_.resize(range + 1);
  }
  u32 code(u64 value) {
    u32& code = direct_.empty() ? hashed_[value] : direct_[value - least_];
    if (code == 0) {
      values_.push_back(value);
      code = static_cast<u32>(values_.size());
    }
    return code - 1;
  }
  std::span<const u64> values() const { return values_; }

 private:
  static constexpr u64 kDirect = u64{1} << 18;
  u64 least_;
  std::vector<u32> direct_;  // code + 1
  base::IdMap<u32> hashed_;
  std::vector<u64> values_;
};

constexpr std::size_t kMostValues = 65536;
constexpr std::size_t kByteCodes = 256;

template <class Code>
void append_codes(std::span<const u32> codes, std::string& out) {
  const std::size_t begin = out.size();
  out.resize(begin + codes.size() * sizeof(Code));
  char* at = out.data() + begin;
  for (const u32 wide : codes) {
    const auto code = static_cast<Code>(wide);
    std::memcpy(at, &code, sizeof code);
    at += sizeof code;
  }
}

void append_numbers(std::span<const u64> numbers, std::string& out) {
  out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

}  // namespace

ColumnEncoder::Scratch& ColumnEncoder::scratch() {
  thread_local Scratch scratch;
  return scratch;
}

bool ColumnEncoder::encode_dictionary(std::span<const u64> numbers, const ColumnEntry& entry) {
  const auto least = static_cast<u64>(entry.least);
  ValueCodes table(least, static_cast<u64>(entry.greatest) - least);
  base::RawArray<u32>& codes = scratch_.codes;
  codes.clear();
  for (const u64 number : numbers) {
    codes.push(table.code(number));
    if (codes[codes.size() - 1] >= kMostValues) return false;
  }
  base::Appender values;
  values.uleb(table.values().size());
  for (const u64 value : table.values()) values.sleb(static_cast<std::int64_t>(value));
  coded_.append(reinterpret_cast<const char*>(values.view().data()), values.size());
  if (table.values().size() <= kByteCodes) append_codes<u8>({codes.data(), codes.size()}, coded_);
  else append_codes<u16>({codes.data(), codes.size()}, coded_);
  return true;
}

bool ColumnEncoder::encode(const ColumnEntry& entry, Coding coding, std::span<const u64> numbers) {
  coded_.clear();
  const bool for_svb = numbers.size() <= base::kMostSvbNumbers;
  const auto append_changed = [&](auto change) {
    base::RawArray<u64>& changed = scratch_.changed;
    changed.clear();
    changed.grew_to(std::ranges::transform(numbers, changed.room(numbers.size()), change).out);
    base::append_svb({changed.data(), changed.size()}, coded_);
    return true;
  };
  switch (coding) {
    case Coding::svb:
      if (!for_svb) return false;
      if (!is_signed(entry.type)) return base::append_svb(numbers, coded_), true;
      return append_changed(
          [](u64 number) { return base::zigzag(static_cast<std::int64_t>(number)); });
    case Coding::differences:
      if (!for_svb) return false;
      return append_changed([before = u64{0}](u64 number) mutable {
        return base::zigzag(static_cast<std::int64_t>(number - std::exchange(before, number)));
      });
    case Coding::dictionary: return encode_dictionary(numbers, entry);
    default: return append_numbers(numbers, coded_), true;
  }
}

void ColumnEncoder::pack(ColumnEntry& entry, Coding coding) {
  entry.raw = static_cast<u32>(coded_.size());
  entry.coding = static_cast<u8>(coding);
  if (coding == Coding::dictionary || coding == Coding::raw) {  // others pack themselves
    scratch_.packed.clear();
    const auto how = base::append_coded(std::as_bytes(std::span(coded_)), scratch_.packed);
    if (how == base::Coding::zstd) entry.coding = static_cast<u8>(entry.coding | kZstd);
    coded_.swap(scratch_.packed);
  }
  entry.stored = static_cast<u32>(coded_.size());
}

void ColumnEncoder::encode_shortest(ColumnEntry& entry, std::span<const u64> numbers, u32 key) {
  ColumnEntry shortest = entry;
  scratch_.best.clear();
  for (const Coding coding : {Coding::svb, Coding::differences, Coding::dictionary, Coding::raw}) {
    if (!encode(entry, coding, numbers)) continue;
    ColumnEntry tried = entry;
    pack(tried, coding);
    if (!scratch_.best.empty() && coded_.size() >= scratch_.best.size()) continue;
    scratch_.best.swap(coded_);
    shortest = tried;
  }
  turn_.chose(key, coding_of(shortest));
  coded_.swap(scratch_.best);
  entry = shortest;
}

ColumnEntry ColumnEncoder::column(ColumnEntry entry, std::span<const u64> numbers, u32 key) {
  const auto [least, greatest] = extremes_of(numbers, is_signed(entry.type));
  entry.least = static_cast<std::int64_t>(least);
  entry.greatest = static_cast<std::int64_t>(greatest);
  if (least == greatest) return entry;
  if (const auto known = turn_.find(key); known && encode(entry, *known, numbers))
    pack(entry, *known);
  else encode_shortest(entry, numbers, key);
  out_ += coded_;
  return entry;
}

ColumnEntry ColumnEncoder::numbers(u16 field, ColumnType type, std::span<const u64> numbers) {
  return column({.field = field, .type = type}, numbers, field);
}

ColumnEntry ColumnEncoder::lists(u16 field, const ToldLists& lists,
                                 std::span<const ColumnType> members) {
  const std::size_t begin = out_.size();
  base::append_svb(lists.lengths.numbers(), out_);
  for (u16 member = 0; member < members.size() && lists.elements() != 0; ++member) {
    const std::size_t at = out_.size();
    out_.resize(at + sizeof(ColumnEntry));
    const auto& told = lists.members[member];
    const u32 key = field | (u32{member} + 1) << 16;
    const ColumnEntry entry =
        column({.field = member, .type = members[member]}, {told.data(), told.size()}, key);
    std::memcpy(out_.data() + at, &entry, sizeof entry);
  }
  const auto size = static_cast<u32>(out_.size() - begin);
  const auto [least, greatest] = extremes_of(lists.lengths.numbers(), false);
  return {.field = field,
          .type = ColumnType::list,
          .coding = static_cast<u8>(Coding::list),
          .stored = size,
          .raw = size,
          .least = static_cast<std::int64_t>(least),
          .greatest = static_cast<std::int64_t>(greatest)};
}

ColumnEntry ColumnEncoder::bitmap(u16 field, std::span<const u64> bits, u32 rows) {
  const std::size_t size = (std::size_t{rows} + 7) / 8;
  coded_.assign(reinterpret_cast<const char*>(bits.data()), std::min(size, bits.size_bytes()));
  coded_.resize(size);
  ColumnEntry entry{.field = part_of(field, kBitmapOf), .type = ColumnType::bitmap};
  pack(entry, Coding::raw);
  out_ += coded_;
  return entry;
}

}  // namespace polytrace::store
