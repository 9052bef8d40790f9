// SPDX-License-Identifier: Apache-2.0
// Frames of compiled code on a stack: what a method's first instructions tell of them, and the way
// outwards. Knows no runtime; nothing is read but the code and the stack that were told. Any
// thread.
#pragma once

#include <cstdint>
#include <span>

namespace polytrace::agent::mono {

struct CallSite {
  // kPointer: it has a frame pointer; kFixed: its size is fixed; kForeign: not to be walked
  // through.
  enum class Frame : std::uint8_t { unknown, pointer, fixed, foreign };

  std::uint32_t method = 0;  // its number, 0 = code that no event names
  Frame frame = Frame::unknown;
  std::uint32_t size = 0;  // from the stack pointer behind the call to the frame's end
  std::uint32_t saved_pointer =
      0;  // kFixed: of the caller's rbp, offset from there + 8; 0 = in rbp
};

// The frame of a method with this code. kUnknown, where its first instructions are others than this
// runtime writes for x86-64.
CallSite read_prologue(std::span<const std::uint8_t> code);

// A walk outwards over the calling thread's stack. Reads nothing outside [from, end).
class Frames {
 public:
  // `from`: the stack pointer behind the call; `address`: where that call returns to. The value of
  // rbp there is not known: the first compiled frame must be one that has its pointer nowhere but
  // at its fixed place, as the runtime's wrappers of native functions do.
  Frames(std::uintptr_t from, std::uintptr_t end, std::uintptr_t address)
      : stack_(from), end_(end), address_(address) {}

  std::uintptr_t address() const { return address_; }
  std::uintptr_t stack() const { return stack_; }
  // To the caller of the frame that `site` describes. False: it cannot be found.
  bool go_out(const CallSite& site);

 private:
  bool is_inside(std::uintptr_t at) const {
    return at % sizeof at == 0 && at >= stack_ && at < end_;
  }
  static std::uintptr_t word_at(std::uintptr_t at) {
    return *reinterpret_cast<const std::uintptr_t*>(at);
  }

  std::uintptr_t stack_;
  std::uintptr_t end_;
  std::uintptr_t address_;
  std::uintptr_t pointer_ = 0;  // rbp there, 0 = not known
  bool first_ = true;
};

}  // namespace polytrace::agent::mono
