// SPDX-License-Identifier: Apache-2.0
// What stands at one moment: samples, allocations, exceptions, and every other event of the
// catalogue under its own name.
#include "base/slot.hpp"
#include "event/visit.hpp"
#include "exports/jfr/jfr.hpp"

namespace polytrace::exports {

using namespace jfr;
using event::Event;
using event::Tag;
using slice::Slice;

namespace {

// Writes the details of any event.
struct JfrFieldWriter {
  Bytes& out;
  Pools& pools;
  const Slice& slice;

  template <Tag tag, class T>
  void field(const char* name, const T& value) {
    if constexpr (event::is_text(tag)) out.text(field_text(name, value));
    else if constexpr (std::is_enum_v<T>) out.text(event::name(value));
    else if constexpr (tag == Tag::kf64) out.real(value);
    else if constexpr (tag == Tag::kStack) out.number(pools.stack(slice, value, false));
    else if constexpr (tag == Tag::kIlMap) list(slice.batch.list(value), &event::IlRange::begin);
    else if constexpr (tag == Tag::kRefs) list(slice.batch.list(value), &event::Ref::target);
    else if constexpr (tag == Tag::kNatives) list(slice.batch.list(value), std::identity{});
    else out.number(static_cast<std::uint64_t>(value));
  }
  template <class List, class Member>
  void list(const List& items, Member member) {
    out.number(std::uint64_t{items.size()});
    for (const auto& item : items) out.number(std::uint64_t{std::invoke(member, item)});
  }
};

}  // namespace

void JfrMaker::sample(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::Sample>(event, {});
  if (details.mode == event::SampleMode::change) return other(slice, event);
  if (!cap_.admit()) return;
  const std::uint64_t thread = thread_of(event.id, slice.names);
  const std::uint64_t stack = pools_.stack(slice, details.stack, true);
  for (std::uint64_t left = copies_.take(details.weight); left != 0; --left) {
    const std::size_t start = begin_event(type::sample_t, event.time);
    out_.number(thread);
    out_.number(stack);
    out_.number(std::uint64_t{1});  // runnable
    out_.end(start);
  }
}

void JfrMaker::allocation(const Slice& slice, const Event& event) {
  if (!cap_.admit()) return;
  const Allocation allocated = allocation_of(slice.batch, event);
  const std::size_t start = begin_event(type::allocation_t, event.time);
  const std::uint32_t thread = slice.threads[event.thread];
  base::slot(allocated_, thread) += allocated.bytes;
  out_.number(pools_.thread(thread));
  out_.number(pools_.stack(slice, allocated.stack, false));
  out_.number(pools_.class_of(slice.names.class_index(event.id)));
  out_.number(allocated.bytes);
  out_.number(allocated.count);
  out_.end(start);
}

void JfrMaker::throwing(const Slice& slice, const Event& event) {
  if (!cap_.admit()) return;
  const auto details = slice.batch.details_or<event::Throw>(event, {});
  const std::size_t start = begin_event(type::throwing_t, event.time);
  out_.number(pools_.thread(slice.threads[event.thread]));
  out_.number(pools_.stack(slice, details.stack, false));
  out_.text("");
  out_.number(pools_.class_of(classes_.find(event.id, details.class_id, slice.names)));
  out_.end(start);
}

void JfrMaker::other(const Slice& slice, const Event& event) {
  if (!cap_.admit()) return;
  const std::size_t start = begin_event(type_of(event.kind), event.time);
  out_.number(pools_.thread(slice.threads[event.thread]));
  const type::Id subject = subject_type(event.kind);
  if (subject == type::method_t)
    out_.number(event.id == base::kNoId ? 0 : pools_.method(slice.names.methods().index(event.id)));
  else if (subject == type::class_t)
    out_.number(event.id == base::kNoId ? 0 : pools_.class_of(slice.names.class_index(event.id)));
  else if (subject != type::none) out_.number(event.id);
  JfrFieldWriter writer{out_, pools_, slice};
  event::with_details(slice.batch, event,
                      [&](const auto& details) { visit_fields(writer, details); });
  out_.end(start);
}

}  // namespace polytrace::exports
