// SPDX-License-Identifier: Apache-2.0
#include "agent/common/tools/pointer_table.hpp"

#include <sys/mman.h>

#include <bit>

namespace polytrace::agent {
namespace {

constexpr std::size_t kFirstSize = 4096;

}  // namespace

PointerTable::Slots* PointerTable::make(std::size_t size) {
  const std::size_t bytes = sizeof(Slots) + size * sizeof(Entry);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* slots = static_cast<Slots*>(memory);
  slots->mask = size - 1;
  slots->shift = 64 - static_cast<unsigned>(std::countr_zero(size));
  slots->entries = reinterpret_cast<Entry*>(slots + 1);
  return slots;
}

// True: the key is new.
bool PointerTable::store(const Slots& slots, const void* key, std::uint64_t value) {
  std::size_t at = hash(key) >> slots.shift;
  const void* found = nullptr;
  for (;; at = (at + 1) & slots.mask) {
    found = slots.entries[at].key.load(std::memory_order_relaxed);
    if (found == key || found == nullptr) break;
  }
  slots.entries[at].value.store(value, std::memory_order_release);
  slots.entries[at].key.store(key, std::memory_order_release);
  return found == nullptr;
}

// Who looks up may still be in the former slots: they stay until the process ends.
bool PointerTable::grow() {
  const Slots* before = slots_.load(std::memory_order_relaxed);
  std::size_t size = before == nullptr ? kFirstSize : before->mask + 1;
  if (live_ >= size / 4) size *= 2;
  Slots* after = make(size);
  if (after == nullptr) return false;
  std::size_t kept = 0;
  for (std::size_t i = 0; before != nullptr && i <= before->mask; ++i) {
    const Entry& entry = before->entries[i];
    const std::uint64_t value = entry.value.load(std::memory_order_relaxed);
    if (value == 0) continue;
    store(*after, entry.key.load(std::memory_order_relaxed), value);
    ++kept;
  }
  used_ = live_ = kept;
  slots_.store(after, std::memory_order_release);
  return true;
}

bool PointerTable::put(const void* key, std::uint64_t value) {
  const Slots* slots = slots_.load(std::memory_order_relaxed);
  if ((slots == nullptr || used_ >= (slots->mask + 1) / 2) && !grow()) return false;
  slots = slots_.load(std::memory_order_relaxed);
  const bool was_there = find(key) != 0;
  if (store(*slots, key, value)) ++used_;
  live_ += (value != 0 ? 1U : 0U) - (was_there ? 1U : 0U);
  return true;
}

}  // namespace polytrace::agent
