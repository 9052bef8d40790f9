// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/plain/frames.hpp"

#include <algorithm>
#include <cstring>

namespace polytrace::agent::mono {
namespace {

constexpr unsigned kRbp = 5;

// Instructions at the head of a method, as this runtime writes them for x86-64. What is cut off or
// impossible is a fault; behind one nothing is read.
class Prologue {
 public:
  explicit Prologue(std::span<const std::uint8_t> code) : code_(code) {}

  bool ok() const { return ok_; }
  bool push_rbp() { return take({0x55}); }
  bool mov_rbp_rsp() { return take({0x48, 0x8b, 0xec}) || take({0x48, 0x89, 0xe5}); }
  bool sub_rsp(std::uint32_t& size) {
    if (take({0x48, 0x83, 0xec})) return distance(size, 1);
    return take({0x48, 0x81, 0xec}) && distance(size, 4);
  }
  // mov [rsp + offset], register
  bool save(unsigned& reg, std::uint32_t& offset) {
    constexpr std::size_t kLength = 4;
    if (code_.size() < kLength || code_[1] != 0x89 || code_[3] != 0x24) return false;
    const bool high = code_[0] == 0x4c;
    const unsigned mode = code_[2];
    if ((!high && code_[0] != 0x48) || (mode & 7U) != 4 || mode >> 6 == 3) return false;
    reg = (mode >> 3 & 7U) + (high ? 8U : 0U);
    code_ = code_.subspan(kLength);
    offset = 0;
    return mode >> 6 == 0 || distance(offset, mode >> 6 == 1 ? 1 : 4);
  }

 private:
  bool take(std::initializer_list<std::uint8_t> bytes) {
    if (!ok_ || code_.size() < bytes.size() ||
        !std::ranges::equal(bytes, code_.first(bytes.size())))
      return false;
    code_ = code_.subspan(bytes.size());
    return true;
  }
  // Of `bytes` bytes, signed: never below 0, and whole words.
  bool distance(std::uint32_t& value, std::size_t bytes) {
    value = 0;
    ok_ = code_.size() >= bytes;
    if (!ok_) return false;
    std::memcpy(&value, code_.data(), bytes);
    code_ = code_.subspan(bytes);
    ok_ = value >> (8 * bytes - 1) == 0 && value % sizeof(std::uintptr_t) == 0;
    return ok_;
  }

  std::span<const std::uint8_t> code_;
  bool ok_ = true;
};

CallSite frame_with_pointer(Prologue& prologue) {
  CallSite site;
  if (!prologue.mov_rbp_rsp()) return {};
  prologue.sub_rsp(site.size);  // without own space the stack pointer stands on the saved rbp
  if (!prologue.ok()) return {};
  site.size += 16;
  site.frame = CallSite::Frame::pointer;
  return site;
}

CallSite frame_of_fixed_size(Prologue& prologue) {
  CallSite site;
  if (!prologue.sub_rsp(site.size)) return {};
  unsigned reg = 0;
  std::uint32_t offset = 0;
  while (prologue.save(reg, offset)) {
    if (offset >= site.size) return {};
    if (reg == kRbp) site.saved_pointer = offset + 8;
  }
  if (!prologue.ok()) return {};
  site.size += 8;
  site.frame = CallSite::Frame::fixed;
  return site;
}

}  // namespace

CallSite read_prologue(std::span<const std::uint8_t> code) {
  Prologue prologue(code);
  return prologue.push_rbp() ? frame_with_pointer(prologue) : frame_of_fixed_size(prologue);
}

bool Frames::go_out(const CallSite& site) {
  std::uintptr_t frame_end = stack_ + site.size;
  if (site.frame == CallSite::Frame::pointer) {
    if (pointer_ == 0 && !first_) return false;
    if (pointer_ != 0) frame_end = pointer_ + 16;
    if (frame_end < stack_ + 16 || !is_inside(frame_end - 16)) return false;
    pointer_ = word_at(frame_end - 16);
  } else {
    if (frame_end < stack_ + 8 || !is_inside(frame_end - 8)) return false;
    if (site.saved_pointer != 0) {
      const std::uintptr_t at = stack_ + site.saved_pointer - 8;
      if (!is_inside(at)) return false;
      pointer_ = word_at(at);
    }
  }
  if (!is_inside(frame_end - 8)) return false;
  if (site.method != 0) first_ = false;
  address_ = word_at(frame_end - 8);
  stack_ = frame_end;
  return true;
}

}  // namespace polytrace::agent::mono
