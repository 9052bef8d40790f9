// SPDX-License-Identifier: Apache-2.0
// Allocations. The thread holds up collections while it is in here.
#include "agent/common/record/encoded_alloc.hpp"
#include "agent/common/tools/alloc_sampler.hpp"
#include "agent/coreclr/calls/stacks.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

struct Sized {
  std::uint32_t number;
  std::uint64_t size;
  bool differs;
};

// Objects of most classes are of one size, that of the first.
Sized sized(RuntimeId object, RuntimeId type) {
  ClassFacts facts = class_facts(type);
  if (facts.size != 0 && facts.size != kSizesDiffer) return {facts.number, facts.size, false};
  std::size_t size = 0;
  ask(info::kGetObjectSize2, object, &size);
  if (facts.size == 0 && size != 0) facts = sized_class(type, size);
  return {facts.number, size, facts.size == kSizesDiffer};
}

void note_object(RuntimeId object, const Sized& found) {
  number_thread();
  const EncodedAlloc encoded(found.number, object, found.size);
  if (emit_encoded(encoded.words(), encoded.count())) return;
  event::Alloc details;
  details.object = object;
  details.size = found.size;
  emit(details, found.number);
}

void note_with_stack(RuntimeId object, const Sized& found, std::uint32_t weight) {
  StackFrames frames;
  frames.walk();
  event::Alloc details;
  details.object = object;
  details.size = found.size;
  details.weight = weight;
  details.stack = frames.stack();
  note(details, found.number, frames.lists());
}

// Every class is a site of its own.
void note_site(const Sized& found) {
  number_thread();
  if (found.differs) alloc_array_at(found.number, static_cast<std::uint32_t>(found.size));
  else alloc_at(found.number);
}

thread_local constinit AllocSampler t_sampler __attribute__((tls_model("initial-exec")));

void sample(RuntimeId object, RuntimeId type) {
  const Sized found = sized(object, type);
  const std::uint64_t interval = settings().common.events.alloc_interval;
  if (t_sampler.chooses(found.size, interval))
    note_with_stack(object, found, sample_weight(found.size, interval));
}

}  // namespace

bool tells_objects() {
  const EventSet& events = settings().common.events;
  return events.alloc != AllocMode::none &&
         (events.alloc != AllocMode::sampled || events.alloc_interval < kRuntimesInterval);
}

HResult on_allocated(RuntimeId object, RuntimeId type) {
  if (is_own_work()) return kOk;
  switch (settings().common.events.alloc) {
    case AllocMode::none: break;
    case AllocMode::sampled: sample(object, type); break;
    case AllocMode::sites: note_site(sized(object, type)); break;
    case AllocMode::objects:
      if (settings().stacks) note_with_stack(object, sized(object, type), 0);
      else note_object(object, sized(object, type));
  }
  return kOk;
}

}  // namespace polytrace::agent::coreclr
