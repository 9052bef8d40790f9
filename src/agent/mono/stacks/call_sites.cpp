// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/stacks/call_sites.hpp"

#include <atomic>
#include <cstring>

#include "agent/common/tools/pointer_table.hpp"
#include "agent/mono/runtime/note.hpp"

namespace polytrace::agent::mono {
namespace {

// By return address: method 24 bits, frame 2, size and saved pointer in words 12 each, epoch 14.
PointerTable g_sites;
std::atomic<std::uint32_t> g_epoch = 0;

constexpr unsigned kFrameShift = 24;
constexpr unsigned kSizeShift = 26;
constexpr unsigned kSavedShift = 38;
constexpr unsigned kEpochShift = 50;
constexpr std::uint32_t kMostEpochs = (1U << 14) - 1;
constexpr std::uint32_t kMostWords = (1U << 12) - 1;

const void* key_of(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

std::uint64_t packed(const CallSite& site, std::uint32_t epoch) {
  return site.method | static_cast<std::uint64_t>(site.frame) << kFrameShift |
         std::uint64_t{site.size / 8} << kSizeShift |
         std::uint64_t{site.saved_pointer / 8} << kSavedShift | std::uint64_t{epoch} << kEpochShift;
}

std::uint32_t bits(std::uint64_t value, unsigned shift, std::uint32_t mask) {
  return static_cast<std::uint32_t>(value >> shift) & mask;
}

}  // namespace

CallSite known_call_site(std::uintptr_t address) {
  const std::uint64_t value = g_sites.find(key_of(address));
  if (value == 0 ||
      bits(value, kEpochShift, kMostEpochs) != g_epoch.load(std::memory_order_relaxed))
    return {};
  return {.method = bits(value, 0, (1U << kFrameShift) - 1),
          .frame = static_cast<CallSite::Frame>(bits(value, kFrameShift, 3)),
          .size = 8 * bits(value, kSizeShift, kMostWords),
          .saved_pointer = 8 * bits(value, kSavedShift, kMostWords)};
}

void know_call_site(std::uintptr_t address, const CallSite& site) {
  const std::uint32_t epoch = g_epoch.load(std::memory_order_relaxed);
  if (epoch == kMostEpochs || site.size / 8 > kMostWords || site.saved_pointer / 8 > kMostWords)
    return;
  const Recording recording;
  const Locked locked(g_sites);
  g_sites.put(key_of(address), packed(site, epoch));
}

// Epochs do not come again: after the last one nothing is known any more.
void forget_call_sites() {
  std::uint32_t epoch = g_epoch.load(std::memory_order_relaxed);
  while (epoch != kMostEpochs && !g_epoch.compare_exchange_weak(epoch, epoch + 1)) {
  }
}

}  // namespace polytrace::agent::mono
