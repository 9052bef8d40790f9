// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "base/codes.hpp"
#include "base/frames/svb.hpp"
#include "store/read/row_view.hpp"

namespace polytrace::store {
namespace {

using base::Bytes;
using base::Code;
using base::fail;
using base::Unexpected;

// No coding takes more for each number; a dictionary has as many values as numbers at most.
constexpr u64 kMostEach = 16;
constexpr u64 kMostHead = 64;

base::result<Bytes> inflated(const ColumnEntry& entry, Bytes stored, u64 most,
                             base::RawArray<std::byte>& room) {
  const bool packed = (entry.coding & kZstd) != 0;
  const auto how = packed ? base::Coding::zstd : base::Coding::plain;
  const auto bytes = base::read_coded(stored, static_cast<u8>(how), most, room);
  if (bytes && bytes->size() != entry.raw) return fail(Code::value_unexpected);
  return bytes;
}

base::result<void> take_svb(Bytes bytes, u64 count, std::vector<u64>& into) {
  if (auto read = base::read_svb(bytes, into, count); !read) return read;
  if (into.size() != count || !bytes.empty()) return fail(Code::value_unexpected);
  return {};
}

void add_up(std::vector<u64>& numbers) {
  u64 sum = 0;
  for (u64& number : numbers) number = sum += static_cast<u64>(base::unzigzag(number));
}

void unzigzag_all(std::vector<u64>& numbers) {
  for (u64& number : numbers) number = static_cast<u64>(base::unzigzag(number));
}

template <class Code>
bool take_codes(Bytes codes, std::span<const u64> values, std::vector<u64>& into) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    const std::size_t code = base::load_le<Code>(codes.data() + i * sizeof(Code));
    if (code >= values.size()) return false;
    into[i] = values[code];
  }
  return true;
}

base::result<void> take_dictionary(Bytes bytes, u64 count, std::vector<u64>& into) {
  constexpr u64 kByteCodes = 256;
  base::Cursor cursor(bytes, 0);
  const u64 different = cursor.uleb();
  if (different == 0 || different > count || !cursor.fits(different, 1))
    return fail(Code::count_too_large);
  std::vector<u64> values(different);
  for (u64& value : values) value = static_cast<u64>(cursor.sleb());
  if (!cursor.ok()) return fail(cursor.fault_code());
  const bool narrow = different <= kByteCodes;
  const Bytes codes(cursor.at(), cursor.left());
  if (codes.size() != count * (narrow ? 1 : 2)) return fail(Code::value_unexpected);
  into.resize(count);
  const bool known =
      narrow ? take_codes<u8>(codes, values, into) : take_codes<u16>(codes, values, into);
  if (!known) return fail(Code::value_unexpected);
  return {};
}

base::result<void> take_raw(Bytes bytes, u64 count, std::vector<u64>& into) {
  if (bytes.size() != count * sizeof(u64)) return fail(Code::value_unexpected);
  into.resize(count);
  std::memcpy(into.data(), bytes.data(), bytes.size());
  return {};
}

base::result<ColumnEntry> take_entry(base::Cursor& cursor, u16 member) {
  const Bytes bytes = cursor.bytes(sizeof(ColumnEntry));
  if (!cursor.ok()) return fail(cursor.fault_code());
  ColumnEntry entry;
  std::memcpy(&entry, bytes.data(), sizeof entry);
  if (entry.field != member) return fail(Code::value_unexpected);
  return entry;
}

// Where each row's list begins; nothing where they would be too many.
std::optional<std::vector<u32>> begins_of(std::span<const u64> lengths, const RowSet& told) {
  std::vector<u32> begins(told.rows() + std::size_t{1});
  u64 sum = 0;
  auto length = lengths.begin();
  for (u32 row = 0; row < told.rows(); ++row) {
    begins[row] = static_cast<u32>(sum);
    if (!told.has(row)) continue;
    if (*length > kMostElements - sum) return {};
    sum += *length++;
  }
  begins.back() = static_cast<u32>(sum);
  return begins;
}

}  // namespace

std::optional<RowSet> RowSet::of(Bytes bitmap, u32 rows) {
  if (bitmap.size() != (std::size_t{rows} + 7) / 8) return {};
  RowSet set(rows);
  set.bits_.resize((std::size_t{rows} + 63) / 64);
  std::memcpy(set.bits_.data(), bitmap.data(), bitmap.size());
  if (rows % 64 != 0 && set.bits_.back() >> (rows % 64) != 0) return {};
  set.count_ = 0;
  for (const u64 word : set.bits_) set.count_ += static_cast<u32>(std::popcount(word));
  return set;
}

base::result<void> read_numbers(const ColumnEntry& entry, Bytes stored, u64 count,
                                std::vector<u64>& into) {
  if (entry.coding == static_cast<u8>(Coding::constant)) {
    if (!stored.empty() || entry.raw != 0) return fail(Code::value_unexpected);
    into.assign(count, static_cast<u64>(entry.least));
    return {};
  }
  base::RawArray<std::byte> room;
  const auto bytes = inflated(entry, stored, kMostHead + kMostEach * count, room);
  if (!bytes) return Unexpected(bytes.error());
  switch (coding_of(entry)) {
    case Coding::svb: {
      auto taken = take_svb(*bytes, count, into);
      if (taken && is_signed(entry.type)) unzigzag_all(into);
      return taken;
    }
    case Coding::differences: {
      auto taken = take_svb(*bytes, count, into);
      if (taken) add_up(into);
      return taken;
    }
    case Coding::dictionary: return take_dictionary(*bytes, count, into);
    case Coding::raw: return take_raw(*bytes, count, into);
    default: return fail(Code::value_unexpected);
  }
}

base::result<RowSet> read_bitmap(const ColumnEntry& entry, Bytes stored, u32 rows) {
  if (coding_of(entry) != Coding::raw) return fail(Code::value_unexpected);
  base::RawArray<std::byte> room;
  const auto bytes = inflated(entry, stored, kMostRows / 8, room);
  if (!bytes) return Unexpected(bytes.error());
  auto set = RowSet::of(*bytes, rows);
  if (!set) return fail(Code::value_unexpected);
  return std::move(*set);
}

base::result<ListColumn> read_lists(const ColumnEntry& entry, Bytes stored, RowSet told,
                                    u32 width) {
  if (entry.coding != static_cast<u8>(Coding::list)) return fail(Code::value_unexpected);
  ListColumn lists{std::move(told), {}, {}};
  std::vector<u64> lengths;
  if (auto read = base::read_svb(stored, lengths, lists.told.count()); !read)
    return Unexpected(read.error());
  if (lengths.size() != lists.told.count()) return fail(Code::value_unexpected);
  auto begins = begins_of(lengths, lists.told);
  if (!begins) return fail(Code::count_too_large);
  lists.begins = std::move(*begins);
  base::Cursor cursor(stored, 0);
  for (u16 member = 0; member < width && lists.begins.back() != 0; ++member) {
    const auto of_member = take_entry(cursor, member);
    if (!of_member) return Unexpected(of_member.error());
    const Bytes bytes = cursor.bytes(of_member->stored);
    if (!cursor.ok()) return fail(cursor.fault_code());
    auto read = read_numbers(*of_member, bytes, lists.begins.back(), lists.members[member]);
    if (!read) return Unexpected(read.error());
  }
  if (!cursor.done()) return fail(Code::trailing_bytes);
  return lists;
}

}  // namespace polytrace::store
