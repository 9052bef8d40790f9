// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/call_sites.hpp"

#include <atomic>
#include <cstring>

#include "agent/common/pointer_table.hpp"
#include "agent/mono/note.hpp"

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

// Instructions at the head of a method, as this runtime writes them for x86-64.
class Prologue {
 public:
  explicit Prologue(const std::uint8_t* code) : at_(code) {}

  bool push_rbp() { return take({0x55}); }
  bool mov_rbp_rsp() { return take({0x48, 0x8b, 0xec}) || take({0x48, 0x89, 0xe5}); }
  bool sub_rsp(std::uint32_t& size) {
    if (take({0x48, 0x83, 0xec})) return byte(size);
    return take({0x48, 0x81, 0xec}) && word(size);
  }
  // mov [rsp + offset], register
  bool save(unsigned& reg, std::uint32_t& offset) {
    const bool high = at_[0] == 0x4c;
    if ((!high && at_[0] != 0x48) || at_[1] != 0x89 || at_[3] != 0x24) return false;
    const unsigned mode = at_[2];
    if ((mode & 7U) != 4) return false;
    reg = (mode >> 3 & 7U) + (high ? 8U : 0U);
    offset = 0;
    at_ += 4;
    switch (mode >> 6) {
      case 0: return true;
      case 1: return byte(offset);
      case 2: return word(offset);
      default: return false;
    }
  }

 private:
  bool take(std::initializer_list<std::uint8_t> bytes) {
    if (std::memcmp(at_, bytes.begin(), bytes.size()) != 0) return false;
    at_ += bytes.size();
    return true;
  }
  bool byte(std::uint32_t& value) {
    value = *at_++;
    return value < 0x80;
  }
  bool word(std::uint32_t& value) {
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value < 0x80000000U;
  }

  const std::uint8_t* at_;
};

constexpr unsigned kRbp = 5;

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

CallSite read_prologue(const std::uint8_t* code) {
  Prologue prologue(code);
  CallSite site;
  if (prologue.push_rbp()) {
    if (!prologue.mov_rbp_rsp()) return {};
    // Without own space the stack pointer stands on the saved rbp.
    if (!prologue.sub_rsp(site.size)) site.size = 0;
    site.size += 16;
    site.frame = CallSite::Frame::kPointer;
    return site;
  }
  if (!prologue.sub_rsp(site.size)) return {};
  site.size += 8;
  site.frame = CallSite::Frame::kFixed;
  unsigned reg = 0;
  std::uint32_t offset = 0;
  while (prologue.save(reg, offset))
    if (reg == kRbp) site.saved_pointer = offset + 8;
  return site;
}

bool Frames::go_out(const CallSite& site) {
  std::uintptr_t frame_end = stack_ + site.size;
  if (site.frame == CallSite::Frame::kPointer) {
    if (pointer_ == 0 && !first_) return false;
    if (pointer_ != 0) frame_end = pointer_ + 16;
    if (frame_end < stack_ + 16 || !is_inside(frame_end - 16)) return false;
    pointer_ = word_at(frame_end - 16);
  } else {
    if (frame_end < stack_ + 8 || !is_inside(frame_end - 8)) return false;
    if (site.saved_pointer != 0) pointer_ = word_at(stack_ + site.saved_pointer - 8);
  }
  if (!is_inside(frame_end - 8)) return false;
  if (site.method != 0) first_ = false;
  address_ = word_at(frame_end - 8);
  stack_ = frame_end;
  return true;
}

}  // namespace polytrace::agent::mono
