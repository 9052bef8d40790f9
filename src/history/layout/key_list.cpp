// SPDX-License-Identifier: Apache-2.0
#include "history/layout/key_list.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <vector>

#include "base/codes.hpp"
#include "base/io/cursor.hpp"
#include "base/large_pages.hpp"

namespace polytrace::history {
namespace {

constexpr std::uint8_t kOpenAbsent = 254;
constexpr std::uint8_t kAbsentFlag = 64;
constexpr std::size_t kLongestName = ~std::uint32_t{0};

std::uint8_t byte_of(const KeyInfo& info) {
  if (info.code == kOpenCode) return info.absent_first ? kOpenAbsent : kOpenCode;
  return static_cast<std::uint8_t>(info.code | (info.absent_first ? kAbsentFlag : 0));
}

// False for a byte that means nothing.
bool take_type(std::uint8_t byte, KeyInfo& info) {
  if (byte == kOpenCode || byte == kOpenAbsent) {
    info.code = kOpenCode;
    info.absent_first = byte == kOpenAbsent;
    return true;
  }
  info.code = byte & kMostCode;
  info.absent_first = (byte & kAbsentFlag) != 0;
  return (byte & ~(kMostCode | kAbsentFlag)) == 0;
}

std::string_view take_name(base::Cursor& in) {
  const base::Bytes name = in.bytes(in.uleb());
  return {reinterpret_cast<const char*>(name.data()), name.size()};
}

// The key of an entry, kNoKey when it is none.
Key take_number(base::Cursor& in, std::uint64_t before) {
  const std::uint64_t key = before + in.uleb();
  return key < before || key >= kNoKey ? kNoKey : static_cast<Key>(key);
}

bool take_key(base::Cursor& in, std::uint64_t& before, KeyList& keys) {
  const Key key = take_number(in, before);
  KeyInfo info;
  const bool typed = take_type(in.byte(), info);
  const std::uint64_t parent = in.uleb();
  const std::string_view name = take_name(in);
  if (!in.ok()) return false;
  if (key == kNoKey || !typed || parent > kNoKey || name.size() > kLongestName)
    return in.fault(base::Code::value_unexpected), false;
  before = key;
  std::uint32_t index = keys.find(key);
  if (index == KeyList::kNone) index = keys.add(key);
  KeyInfo& known = keys[index];
  // A type, once fixed, stays.
  if (known.listed && known.code != kOpenCode && known.code != info.code)
    return in.fault(base::Code::value_unexpected), false;
  known.code = info.code;
  known.absent_first = info.absent_first;
  known.parent = parent == 0 ? kNoKey : static_cast<Key>(parent - 1);
  known.set_name(name);
  keys.list(index);
  return true;
}

}  // namespace

std::uint32_t KeyList::add(Key key) {
  const std::uint32_t index = table_.add(key);
  ascending_ = ascending_ && (index == 0 || infos_.back().key < key);
  if (!ascending_ && !order_.empty() && order_.size() == index && infos_[order_.back()].key < key)
    order_.push_back(index);
  infos_.push_back({.key = key});
  return index;
}

void KeyList::reserve(std::size_t count) {
  if (count <= infos_.capacity()) return;
  infos_.reserve(count);
  base::want_large_pages(infos_.data() + infos_.size(), (count - infos_.size()) * sizeof(KeyInfo));
}

void KeyList::list(std::uint32_t index) {
  KeyInfo& info = infos_[index];
  info.listed = true;
  std::uint32_t& slot = info.code == kOpenCode ? info.open_slot : info.slot;
  if (slot != KeyInfo::kNone) return;
  slot = slot_counts_[class_of(info.code)]++;
}

const std::vector<std::uint32_t>& KeyList::slots(std::size_t number) const {
  auto& slots = slots_[number];
  if (slots.size() == slot_counts_[number]) return slots;
  slots.resize(slot_counts_[number]);
  const TypeCode code = code_of_class(number);
  for (std::uint32_t index = 0; index < size(); ++index) {
    const KeyInfo& info = infos_[index];
    const std::uint32_t slot = code == kOpenCode ? info.open_slot : info.slot;
    if (slot != kNone && (code == kOpenCode || info.code == code)) slots[slot] = index;
  }
  return slots;
}

void KeyList::sort() const {
  if (order_.size() == infos_.size()) return;
  order_.resize(infos_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::sort(order_, {}, [&](std::uint32_t index) { return infos_[index].key; });
}

void put_key(base::Appender& to, Key before, const KeyInfo& info) {
  to.uleb(info.key - before);
  to.byte(byte_of(info));
  to.uleb(info.parent == kNoKey ? 0 : std::uint64_t{info.parent} + 1);
  to.uleb(info.name().size());
  to.text(info.name());
}

base::result<void> take_keys(base::Bytes payload, std::uint64_t offset, KeyList& keys) {
  constexpr std::size_t kLeastEntry = 4;
  base::Cursor in(payload, offset);
  const std::uint64_t count = in.uleb();
  std::uint64_t before = 0;
  if (in.fits(count, kLeastEntry)) {
    if (count > keys.size()) keys.reserve(keys.size() + count);
    for (std::uint64_t i = 0; i < count && take_key(in, before, keys);) ++i;
  }
  if (in.ok()) return {};
  return base::fail(in.fault_code(), {}, {.offset = in.fault_offset(), .frame = "KEYS"});
}

Tree tree_of(const KeyList& keys) {
  Tree tree;
  const auto place = [&](const KeyInfo& info) {
    const Tree::Node above = tree.node(info.parent);
    if (above == Tree::kNone || info.name().empty() || tree.depth(above) == kMostTreeDepth) return;
    tree.set_key(tree.child(above, info.name()), info.key);
  };
  std::vector<bool> met(keys.size());
  std::vector<std::uint32_t> up;  // from a timeline to the first above it that was met before
  for (const std::uint32_t index : keys.in_order()) {
    up.clear();
    for (std::uint32_t at = index; at != KeyList::kNone && !met[at];
         at = keys.find(keys[at].parent)) {
      met[at] = true;
      up.push_back(at);
    }
    for (const std::uint32_t at : std::views::reverse(up)) place(keys[at]);
  }
  return tree;
}

std::optional<std::string> path_of(const KeyList& keys, Key key) {
  std::vector<std::string_view> names;
  while (key != kRoot) {
    const std::uint32_t index = keys.find(key);
    if (index == KeyList::kNone || names.size() > kMostTreeDepth) return std::nullopt;
    const KeyInfo& info = keys[index];
    if (info.parent == kNoKey || info.name().empty()) return std::nullopt;
    names.push_back(info.name());
    key = info.parent;
  }
  std::ranges::reverse(names);
  return join_path(names);
}

Key key_at(const KeyList& keys, std::span<const std::string> names) {
  Key at = kRoot;
  for (const std::string& name : names) {
    const auto order = keys.in_order();
    const auto found = std::ranges::find_if(order, [&](std::uint32_t index) {
      return keys[index].parent == at && keys[index].name() == name;
    });
    if (found == order.end()) return kNoKey;
    at = keys[*found].key;
  }
  return at;
}

}  // namespace polytrace::history
