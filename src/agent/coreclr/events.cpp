// SPDX-License-Identifier: Apache-2.0
// The runtime's own events (EventPipe), where there is no callback, or none that is cheap: samples
// of allocations, and locks that threads wait for. They come on the thread they happen on.
#include <algorithm>
#include <cstring>

#include "agent/coreclr/callbacks.hpp"
#include "agent/coreclr/definitions.hpp"
#include "agent/coreclr/runtime.hpp"
#include "agent/coreclr/settings.hpp"
#include "agent/coreclr/stacks.hpp"

namespace polytrace::agent::coreclr {
namespace {

// Of the provider Microsoft-Windows-DotNETRuntime.
constexpr std::uint64_t kAllocationKeyword = 0x1;
constexpr std::uint64_t kContentionKeyword = 0x4000;
constexpr std::uint32_t kEverything = 5;
constexpr std::uint32_t kAllocationTick = 10;
constexpr std::uint32_t kContentionStart = 81;
constexpr std::uint32_t kContentionStop = 91;

bool wants_samples() {
  return settings().common.events.alloc == AllocMode::kSampled && !tells_objects();
}

// The fields of an event, in their order; what is not there is 0.
class Payload {
 public:
  Payload(const std::uint8_t* bytes, std::uint32_t size) : bytes_(bytes), left_(size) {}

  template <class T>
  T take() {
    T value{};
    if (left_ < sizeof value) return left_ = 0, value;
    std::memcpy(&value, bytes_, sizeof value);
    bytes_ += sizeof value;
    left_ -= static_cast<std::uint32_t>(sizeof value);
    return value;
  }
  void skip_text() {
    while (left_ != 0 && take<char16_t>() != 0) {
    }
  }

 private:
  const std::uint8_t* bytes_;
  std::uint32_t left_;
};

// Of a thread: what it allocated since its last recorded allocation.
thread_local constinit std::uint64_t t_bytes __attribute__((tls_model("initial-exec"))) = 0;

// One object of so many bytes is told; how many objects that were is estimated by its size.
void note_allocation(Payload payload) {
  payload.take<std::uint32_t>();  // amount, kind, number of the runtime
  payload.take<std::uint32_t>();
  payload.take<std::uint16_t>();
  t_bytes += payload.take<std::uint64_t>();
  const auto type = payload.take<RuntimeId>();
  payload.skip_text();
  payload.take<std::uint32_t>();  // number of the heap
  event::Alloc details;
  details.object = payload.take<RuntimeId>();
  details.size = payload.take<std::uint64_t>();
  if (t_bytes < settings().common.events.alloc_interval || type == 0 || details.size == 0) return;
  details.weight = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, t_bytes / details.size));
  t_bytes = 0;
  StackFrames frames;
  frames.walk();
  details.stack = frames.stack();
  note(details, class_facts(type).number, frames.lists());
}

thread_local constinit RuntimeId t_contended __attribute__((tls_model("initial-exec"))) = 0;

void note_monitor(event::MonitorStage stage, RuntimeId lock) {
  StackFrames frames;
  frames.walk();
  event::Monitor details;
  details.stage = stage;
  details.stack = frames.stack();
  note(details, lock, frames.lists());
}

void note_contention(Payload payload) {
  payload.take<std::uint8_t>();  // flags, number of the runtime
  payload.take<std::uint16_t>();
  t_contended = payload.take<RuntimeId>();
  note_monitor(event::MonitorStage::contended, t_contended);
}

}  // namespace

bool wants_events() { return wants_samples() || settings().common.events.monitors; }

bool start_events() {
  if (!wants_events()) return true;
  std::uint64_t keywords = 0;
  if (wants_samples()) keywords |= kAllocationKeyword;
  if (settings().common.events.monitors) keywords |= kContentionKeyword;
  const EventProvider provider{u"Microsoft-Windows-DotNETRuntime", keywords, kEverything, nullptr};
  std::uint64_t session = 0;
  return ask(info::kEventPipeStartSession, 1, &provider, 0, &session);
}

// The stack that comes with an event is empty.
HResult on_event(RuntimeId, std::uint32_t number, std::uint32_t, std::uint32_t, const std::uint8_t*,
                 std::uint32_t size, const std::uint8_t* bytes, const Guid*, const Guid*, RuntimeId,
                 std::uint32_t, const RuntimeId*) {
  const Payload payload(bytes, size);
  if (number == kAllocationTick && wants_samples()) note_allocation(payload);
  else if (number == kContentionStart) note_contention(payload);
  else if (number == kContentionStop) note_monitor(event::MonitorStage::acquired, t_contended);
  return kOk;
}

}  // namespace polytrace::agent::coreclr
