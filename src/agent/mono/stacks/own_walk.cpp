// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/stacks/own_walk.hpp"

#include <pthread.h>

#include <algorithm>
#include <memory>
#include <new>

#include "agent/mono/plain/frames.hpp"
#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/stacks/call_sites.hpp"

namespace polytrace::agent::mono {
namespace {

// Of the calling thread.
struct StackMarks {
  std::uintptr_t end = 0;   // of its stack; 0 = not asked yet
  std::uintptr_t base = 0;  // where its outermost compiled frame ends
};
thread_local constinit StackMarks t_stack __attribute__((tls_model("initial-exec")));

std::uintptr_t stack_end() {
  if (t_stack.end != 0) return t_stack.end;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* from = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &from, &size);
  pthread_attr_destroy(&attributes);
  return t_stack.end = reinterpret_cast<std::uintptr_t>(from) + size;
}

// From the callback's caller: above its frame address stand the saved rbp and the return address.
Frames frames_from(const void* frame) {
  const auto at = reinterpret_cast<std::uintptr_t>(frame);
  return {at + 16, stack_end(), reinterpret_cast<const std::uintptr_t*>(at)[1]};
}

MonoJitInfo* code_at(std::uintptr_t address) {
  return mono_jit_info_table_find(mono_domain_get(), reinterpret_cast<char*>(address));
}

CallSite site_of(MonoJitInfo* code) {
  CallSite site =
      read_prologue({static_cast<const std::uint8_t*>(mono_jit_info_get_code_start(code)),
                     static_cast<std::size_t>(std::max(mono_jit_info_get_code_size(code), 0))});
  site.method = method_number(mono_jit_info_get_method(code));
  return site;
}

void know_foreign(std::uintptr_t address) {
  CallSite site;
  site.frame = CallSite::Frame::foreign;
  know_call_site(address, site);
}

// What a trial learns: sites become known together, when all of them were right.
struct Learned {
  std::uint32_t count = 0;
  std::array<std::uintptr_t, kMostFrames> addresses;
  std::array<CallSite, kMostFrames> sites;
  std::uintptr_t foreign = 0;  // the address where compiled code ended
};

// The walk came no further than its last frame, or to something wrong behind it: that one is not to
// be walked through.
void stop_at_last(Learned& learned) { learned.foreign = learned.addresses[--learned.count]; }

// False: somewhere there is another method than in `walk`.
bool try_walk(Frames frames, const RuntimeWalk& walk, Learned& learned) {
  learned.count = 0;
  learned.foreign = 0;
  while (learned.count < walk.count) {
    MonoJitInfo* code = code_at(frames.address());
    if (code == nullptr) {
      learned.foreign = frames.address();
      return learned.count > 0;
    }
    if (!is_shared_form(walk.methods[learned.count], mono_jit_info_get_method(code))) return false;
    const CallSite site = site_of(code);
    learned.addresses[learned.count] = frames.address();
    learned.sites[learned.count++] = site;
    if (site.frame == CallSite::Frame::unknown || !frames.go_out(site)) {
      stop_at_last(learned);
      return true;
    }
  }
  if (walk.is_cut) return true;
  if (code_at(frames.address()) != nullptr) return false;
  learned.foreign = frames.address();
  learn_base(frames.stack());
  return true;
}

void keep(const Learned& learned) {
  for (std::uint32_t i = 0; i < learned.count; ++i)
    know_call_site(learned.addresses[i], learned.sites[i]);
  if (learned.foreign != 0) know_foreign(learned.foreign);
}

// The frames of the runtime between callback and compiled code are not described anywhere, but they
// are always as large: how large, the first return address into the innermost method tells.
bool learn_from_runtime(const Frames& runtime, const RuntimeWalk& walk, Learned& learned) {
  constexpr std::uintptr_t kFarthest = 64;
  for (std::uintptr_t words = 1; words <= kFarthest; ++words) {
    CallSite site;
    site.frame = CallSite::Frame::fixed;
    site.size = static_cast<std::uint32_t>(8 * words);
    Frames frames = runtime;
    if (!frames.go_out(site)) return false;
    if (code_at(frames.address()) == nullptr || !try_walk(frames, walk, learned)) continue;
    know_call_site(runtime.address(), site);
    return true;
  }
  return false;
}

}  // namespace

void learn_base(std::uintptr_t stopped) { t_stack.base = stopped; }

OwnWalk walk_own(const void* frame, StackFrames& frames, std::uintptr_t& stopped) {
  Frames at = frames_from(frame);
  for (;;) {
    stopped = at.stack();
    const CallSite site = known_call_site(at.address());
    switch (site.frame) {
      case CallSite::Frame::unknown:
        return stopped == t_stack.base ? OwnWalk::done : OwnWalk::unknown;
      case CallSite::Frame::foreign:
        return stopped == t_stack.base ? OwnWalk::done : OwnWalk::foreign;
      default: break;
    }
    if (site.method != 0 && !frames.add(site.method)) return OwnWalk::done;
    if (!at.go_out(site)) return OwnWalk::foreign;
  }
}

void learn_walk(const void* frame, const RuntimeWalk& walk) {
  if (walk.count == 0) return;
  const Frames runtime = frames_from(frame);
  const CallSite site = known_call_site(runtime.address());
  // Seldom, and too large for a stack that may be near its end.
  const std::unique_ptr<Learned> room(new (std::nothrow) Learned);
  if (room == nullptr) return;
  Learned& learned = *room;
  if (site.frame == CallSite::Frame::unknown) {
    if (learn_from_runtime(runtime, walk, learned)) keep(learned);
    return;
  }
  Frames frames = runtime;
  if (!frames.go_out(site)) return;
  if (code_at(frames.address()) == nullptr) return know_foreign(frames.address());
  if (!try_walk(frames, walk, learned) && learned.count > 0) stop_at_last(learned);
  keep(learned);
}

}  // namespace polytrace::agent::mono
