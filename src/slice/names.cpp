// SPDX-License-Identifier: Apache-2.0
#include "slice/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/utf8.hpp"
#include "event/choice/method_names.hpp"
#include "slice/compiled_names.hpp"

namespace polytrace::slice {

using event::Kind;

bool NameTable::renames(Id id, std::string_view name) const {
  const std::uint32_t index = ids_.find(id);
  return index != kNone && named(index) && names_[index] != name;
}

std::uint32_t NameTable::define(Id id, std::string_view name) {
  const std::uint32_t index = renames(id, name) ? ids_.renew(id) : ids_.index(id);
  if (named(index)) return index;
  if (index >= names_.size()) {
    names_.resize(index + std::size_t{1});
    named_.resize(index + std::size_t{1});
  }
  names_[index] = name;
  named_[index] = true;
  return index;
}

std::string_view NameTable::name(std::uint32_t index) const {
  return named(index) ? std::string_view(names_[index]) : std::string_view();
}

std::string thread_text(const ThreadNaming& thread) {
  if (!thread.name.empty()) return std::string(thread.name);
  if (thread.id == base::kNoId) return "(events of no thread)";
  if (!thread.begun && !thread.previous.empty())
    return fmt::format("{} (after its end)", thread.previous);
  return fmt::format("{:#x}", thread.id);
}

std::string Names::method_name(std::uint32_t index) const {
  return base::short_name(whole_method_name(index), longest_);
}

std::string Names::class_name(std::uint32_t index) const {
  return base::short_name(whole_class_name(index), longest_);
}

std::string Names::thread_name(std::uint32_t index) const {
  return base::short_name(whole_thread_name(index), longest_);
}

std::uint64_t Names::shortened() const {
  std::uint64_t count = 0;
  const auto add = [&](const std::string& name) {
    if (name.size() > longest_) ++count;
  };
  for (std::uint32_t i = 0; i < methods_.size(); ++i) add(whole_method_name(i));
  for (std::uint32_t i = 0; i < classes_.size(); ++i)
    if (resolve_class(i) == i) add(whole_class_name(i));
  for (std::uint32_t i = 0; i < threads_.size(); ++i) add(whole_thread_name(i));
  return count;
}

std::string Names::whole_method_name(std::uint32_t index) const {
  if (index == kOtherPaths) return "(other paths)";
  if (methods_.named(index)) {
    const MethodTold told = index < methods_told_.size() ? methods_told_[index] : MethodTold();
    const std::string_view of = told.class_index == kNone
                                    ? std::string_view()
                                    : classes_.name(resolve_class(told.class_index));
    return as_in_source(event::whole_method_name(of, methods_.name(index), told.signature));
  }
  return fmt::format("unknown method {:#x}", methods_.id(index));
}

std::string Names::whole_class_name(std::uint32_t index) const {
  if (index != kNone) index = resolve_class(index);
  if (classes_.named(index)) return std::string(classes_.name(index));
  const Id id = index == kNone ? base::kNoId : classes_.id(index);
  if (id == 0 || id == base::kNoId) return "(class not recorded)";
  return fmt::format("unknown class {:#x}", id);
}

std::uint32_t Names::thread_index(Id thread) const { return thread_ids_.find(thread); }

std::string Names::whole_thread_name(std::uint32_t index) const {
  const ThreadInfo& thread = threads_[index];
  std::string_view previous;
  if (thread.previous != kNone) previous = threads_[thread.previous].name;
  return thread_text({thread.id, thread.name, thread.begun, previous});
}

base::Time Names::first_time() const {
  base::Time first = base::kNoTime;
  for (const ThreadInfo& thread : threads_) {
    if (thread.first == base::kNoTime) continue;
    first = first == base::kNoTime ? thread.first : std::min(first, thread.first);
  }
  return first;
}

Names::Learned Names::learn(const event::Batch& batch, std::span<const std::uint32_t> definitions,
                            std::uint32_t begin) {
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const event::Event& event = batch.events[definitions[i]];
    if (definitions[i] != begin && changes_meaning(batch, event)) return {i, false};
    define(batch, event);
    if (ending_ != kNone) return {i + 1, true};
  }
  return {definitions.size(), false};
}

// A thread's begin may tell nothing else. Its end is of the next thread where one was seen since.
bool Names::changes_meaning(const event::Batch& batch, const event::Event& event) const {
  if (event.kind == Kind::Thread)
    return is_after_end(event) || is_next_thread(event, batch.details_or<event::Thread>(event, {}));
  if (event.detail == event::kAbsent) return false;
  switch (event.kind) {
    case Kind::Method: {
      const auto& method = batch.details<event::Method>(event);
      return !method.name.empty() && methods_.renames(event.id, method.name);
    }
    case Kind::Class: {
      const auto& type = batch.details<event::Class>(event);
      const std::uint32_t known = classes_.index(event.id);
      return !type.name.empty() &&
             (resolve_class(known) != known || classes_.renames(event.id, type.name));
    }
    case Kind::Vtable: {
      const std::uint32_t known = classes_.index(event.id);
      const Id class_id = batch.details<event::Vtable>(event).class_id;
      const std::uint32_t of = classes_.index(class_id);
      return known != of &&
             (resolve_class(known) != known ? resolve_class(known) != of : classes_.named(known));
    }
    default: return false;
  }
}

void Names::define(const event::Batch& batch, const event::Event& event) {
  if (event.kind == Kind::Thread)
    return define_thread(event, batch.details_or<event::Thread>(event, {}));
  if (event.detail == event::kAbsent) return;
  switch (event.kind) {
    case Kind::Method: return define_method(event.id, batch.details<event::Method>(event));
    case Kind::Class: {
      const auto& type = batch.details<event::Class>(event);
      if (type.name.empty()) return;
      const std::uint32_t known = classes_.index(event.id);
      if (resolve_class(known) != known) classes_.renew(event.id);  // was a vtable's number
      classes_.define(event.id, type.name);
      return;
    }
    case Kind::Vtable: return define_vtable(event.id, batch.details<event::Vtable>(event).class_id);
    default: return;
  }
}

void Names::define_method(Id id, const event::Method& method) {
  if (method.name.empty()) return;
  has_method_0_ |= id == 0;
  if (methods_.renames(id, method.name)) ++method_epoch_;
  const std::uint32_t index = methods_.define(id, method.name);
  if (method.name.starts_with("(wrapper ")) {
    if (index >= helpers_.size()) helpers_.resize(index + std::size_t{1});
    helpers_[index] = true;
  }
  if (method.class_id == base::kNoId && method.signature.empty()) return;
  if (index >= methods_told_.size()) methods_told_.resize(index + std::size_t{1});
  MethodTold& told = methods_told_[index];
  if (method.class_id != base::kNoId) told.class_index = classes_.index(method.class_id);
  if (!method.signature.empty()) told.signature = method.signature;
}

void Names::define_vtable(Id vtable, Id class_id) {
  const std::uint32_t of = classes_.index(class_id);
  std::uint32_t index = classes_.index(vtable);
  if (index == of) return;
  if (resolve_class(index) == of) return;
  // The number was another class's vtable, or a class.
  if (resolve_class(index) != index || classes_.named(index)) index = classes_.renew(vtable);
  if (index >= aliases_.size()) aliases_.resize(index + std::size_t{1}, kNone);
  aliases_[index] = of;
}

// What is said of a thread late, by another thread's stream, has an older time.
bool Names::is_after_end(const event::Event& event) const {
  const std::uint32_t index = thread_ids_.find(event.id);
  return index != kNone && threads_[index].ended && event.time >= threads_[index].end_time;
}

// A begin of a thread that has begun, or anything but an end that is said of one after its end.
bool Names::is_next_thread(const event::Event& event, const event::Thread& details) const {
  if (is_after_end(event)) return details.life != event::Life::end;
  const std::uint32_t index = thread_ids_.find(event.id);
  return index != kNone && !threads_[index].ended && threads_[index].begun &&
         details.life == event::Life::begin;
}

void Names::define_thread(const event::Event& event, const event::Thread& details) {
  std::uint32_t index = thread_ids_.find(event.id);
  if (index == kNone || is_next_thread(event, details)) index = new_thread(event.id);
  ThreadInfo& thread = threads_[index];
  if (!details.name.empty()) thread.name = details.name;
  if (details.life == event::Life::begin) thread.begun = true;
  if (details.life == event::Life::end && !thread.ended) {
    ending_ = index;
    ending_time_ = event.time;
  }
}

std::uint32_t Names::new_thread(Id id) {
  const std::uint32_t previous = thread_ids_.find(id);
  const std::uint32_t index = thread_ids_.renew(id);
  ThreadInfo& thread = threads_.emplace_back();
  thread.id = id;
  thread.previous = previous;
  return index;
}

base::Time Names::end_of(Id thread) const {
  const std::uint32_t index = thread_ids_.find(thread);
  return index != kNone && threads_[index].ended ? threads_[index].end_time : kNever;
}

std::uint32_t Names::see(Id thread, base::Time begin, const Stretch& stretch) {
  std::uint32_t index = thread_ids_.find(thread);
  if (index == kNone || (threads_[index].ended && begin >= threads_[index].end_time)) {
    index = new_thread(thread);
  }
  ThreadInfo& info = threads_[index];
  if (stretch.first != base::kNoTime)
    info.first = info.first == base::kNoTime ? stretch.first : std::min(info.first, stretch.first);
  info.last = std::max(info.last, stretch.last);
  info.events += stretch.events;
  return index;
}

void Names::end_slice() {
  if (ending_ == kNone) return;
  threads_[ending_].ended = true;
  threads_[ending_].end_time = ending_time_;
  ending_ = kNone;
}

Extent extent_of(const Names& names) {
  Extent extent;
  for (const ThreadInfo& thread : names.threads()) {
    extent.last = std::max(extent.last, thread.last);
    extent.events += thread.events;
  }
  extent.first = names.first_time();
  return extent;
}

}  // namespace polytrace::slice
