// SPDX-License-Identifier: Apache-2.0
// How frames of compiled code are found without asking the runtime, whose own walk takes a quarter
// of a microsecond per frame.
//
// A return address tells its method, and its method's first instructions tell where the frame ends:
// either it has a frame pointer (rbp), or its size is fixed. What they are is read once per address
// and believed only after a walk by the runtime has given the same methods. A walk that meets an
// address not known yet gives up, and the runtime walks.
#pragma once

#include <cstdint>

#include "agent/mono/runtime.hpp"

namespace polytrace::agent::mono {

struct CallSite {
  // kPointer: it has a frame pointer; kFixed: its size is fixed; kForeign: not to be walked
  // through.
  enum class Frame : std::uint8_t { kUnknown, kPointer, kFixed, kForeign };

  std::uint32_t method = 0;  // its number, 0 = code that no event names
  Frame frame = Frame::kUnknown;
  std::uint32_t size = 0;  // from the stack pointer behind the call to the frame's end
  std::uint32_t saved_pointer =
      0;  // kFixed: of the caller's rbp, offset from there + 8; 0 = in rbp
};

// By return address. Any thread.
CallSite known_call_site(std::uintptr_t address);
void know_call_site(std::uintptr_t address, const CallSite& site);
// Code was freed: what is known of addresses is void.
void forget_call_sites();

// The frame of the compiled code at `code`, from its first instructions.
CallSite read_prologue(const std::uint8_t* code);

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
