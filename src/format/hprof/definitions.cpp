// SPDX-License-Identifier: Apache-2.0
#include "format/hprof/decoders.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/text/java_type.hpp"
#include "format/hprof/layout/big_endian.hpp"

namespace polytrace::format::hprof {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// As people write it: "java/lang/String" is java.lang.String, "[Lcom/acme/Item;" com.acme.Item[],
// "[[I" int[][].
std::string class_name(std::string_view name) {
  const std::size_t dimensions = std::min(name.find_first_not_of('['), name.size());
  std::string_view element = name.substr(dimensions);
  if (dimensions != 0) {
    if (element.size() == 1 && !base::primitive_type(element[0]).empty())
      element = base::primitive_type(element[0]);
    else if (element.starts_with('L') && element.ends_with(';'))
      element = element.substr(1, element.size() - 2);
    else return std::string(name);  // no name of an array
  }
  std::string out(element);
  std::ranges::replace(out, '/', '.');
  for (std::size_t i = 0; i < dimensions; ++i) out += "[]";
  return out;
}

template <class T>
T& at(std::vector<T>& items, u32 index) {
  if (index >= items.size()) items.resize(index + std::size_t{1});
  return items[index];
}

}  // namespace

template <class T>
void Definitions::add(Id id, const T& details) {
  batch_->add(time_, batch_->thread_slot(base::kNoId), id, details);
}

std::string_view Definitions::text_of(Id id) const {
  const u32 index = text_ids_.find(id);
  return index == base::IdTable::kNone ? std::string_view() : std::string_view(texts_[index]);
}

Id Definitions::class_of(u32 serial) const {
  const u32 index = class_serials_.find(serial);
  return index == base::IdTable::kNone ? base::kNoId : classes_[index];
}

bool Definitions::read(Tag tag, base::Time time, base::Cursor& body, event::Batch& batch) {
  time_ = time;
  batch_ = &batch;
  offset_ = body.offset();
  switch (tag) {
    case Tag::text: return text(body), true;
    case Tag::load_class: return load_class(body), true;
    case Tag::unload_class: return unload_class(body), true;
    case Tag::frame: return frame(body), true;
    case Tag::trace: return trace(body), true;
    case Tag::alloc_sites: return alloc_sites(body), true;
    case Tag::heap_summary: return heap_summary(body), true;
    case Tag::start_thread: return start_thread(body), true;
    case Tag::end_thread: return end_thread(body), true;
    case Tag::cpu_samples: return cpu_samples(body), true;
    case Tag::settings: return settings(body), true;
    default: return false;
  }
}

void Definitions::text(base::Cursor& body) {
  const Id id = take_id(body, id_size_);
  const base::Bytes bytes = body.bytes(body.left());
  if (!body.ok()) return;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  at(texts_, text_ids_.index(id)) = text;
  if (text == "annotationDataOffset") special_.data_offset = id;
  if (text == "annotationTypeOffset") special_.type_offset = id;
  if (text == "referent") special_.referent = id;
  if (text == "size") special_.size = id;
}

void Definitions::name_holder(Id id, std::string_view name) {
  using event::RefStrength;
  constexpr std::pair<std::string_view, RefStrength> kHolders[] = {
      {"java.lang.ref.SoftReference", RefStrength::soft},
      {"java.lang.ref.WeakReference", RefStrength::weak},
      {"java.lang.ref.FinalReference", RefStrength::final},
      {"java.lang.ref.PhantomReference", RefStrength::phantom}};
  for (std::size_t i = 0; i < std::size(kHolders); ++i)
    if (name == kHolders[i].first) special_.holders[i] = {id, kHolders[i].second};
}

void Definitions::name_special(Id id, std::string_view name) {
  if (name == "java.lang.Object") special_.object = id;
  if (name == "java.lang.Class") special_.class_class = id;
  if (name == "java.lang.Class$Atomic") special_.atomic = id;
  if (name == "java.lang.ref.Reference") special_.reference = id;
  name_holder(id, name);
  if (name == "jdk.internal.vm.StackChunk") special_.stack_chunk = id;
  for (std::uint8_t type = 0; type < special_.arrays.size(); ++type)
    if (name == value_array_name(type)) special_.arrays[type] = id;
}

void Definitions::load_class(base::Cursor& body) {
  const u32 serial = take<u32>(body);
  const Id id = take_id(body, id_size_);
  take<u32>(body);  // a stack trace
  const Id name = take_id(body, id_size_);
  if (!body.ok()) return;
  at(classes_, class_serials_.index(serial)) = id;
  const std::string written = class_name(text_of(name));
  name_special(id, written);
  event::Class details;
  details.name = batch_->keep(written);
  add(id, details);
}

void Definitions::unload_class(base::Cursor& body) {
  const u32 serial = take<u32>(body);
  if (!body.ok()) return;
  event::Class details;
  details.life = event::Life::end;
  add(class_of(serial), details);
}

// Frames are told anew for every trace; a method is the first one of its class, name and signature.
void Definitions::frame(base::Cursor& body) {
  const Id id = take_id(body, id_size_);
  const Id name = take_id(body, id_size_);
  const Id signature = take_id(body, id_size_);
  const Id source = take_id(body, id_size_);
  const u32 serial = take<u32>(body);
  const auto line = static_cast<std::int32_t>(take<u32>(body));
  if (!body.ok()) return;
  const auto [method, fresh] = methods_.try_emplace({serial, name, signature}, id);
  at(frames_, frame_ids_.index(id)) = {method->second, line > 0 ? line : -1};
  if (!fresh) return;
  event::Method details;
  details.name = kept(name);
  details.class_id = class_of(serial);
  details.signature = kept(signature);
  details.source = kept(source);
  add(id, details);
}

event::Stack Definitions::stack_of(u32 serial) {
  event::Stack stack;
  const u32 index = trace_serials_.find(serial);
  if (index == base::IdTable::kNone) return stack;
  // A short record can name a long trace often.
  constexpr std::size_t kMostFrames = std::size_t{1} << 20;  // of one batch
  const std::vector<Id>& frames = traces_[index];
  if (batch_->frames.size() + frames.size() > kMostFrames) {
    batch_->notices.add(base::Code::limit_exceeded, {.offset = offset_}, 0, "frames of stacks");
    return stack;
  }
  auto& places = batch_->column<event::FramePlace>();
  stack.first = static_cast<u32>(batch_->frames.size());
  stack.count = static_cast<u32>(frames.size());
  stack.places = static_cast<u32>(places.size());
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    const u32 known = frame_ids_.find(*frame);
    const Frame one = known == base::IdTable::kNone ? Frame{*frame, -1} : frames_[known];
    batch_->frames.push_back(one.method);
    places.push_back({-1, one.line, 0});
  }
  return stack;
}

void Definitions::trace(base::Cursor& body) {
  const u32 serial = take<u32>(body);
  const u32 thread = take<u32>(body);
  const u32 count = take<u32>(body);
  if (!body.fits(count, id_size_)) return;
  std::vector<Id> frames(count);
  for (Id& frame : frames) frame = take_id(body, id_size_);
  at(traces_, trace_serials_.index(serial)) = std::move(frames);
  if (thread == 0 || count == 0) return;
  event::Sample details;
  details.weight = 1;
  details.stack = stack_of(serial);
  add(thread, details);
}

void Definitions::alloc_sites(base::Cursor& body) {
  take<std::uint16_t>(body);  // flags: how the sites are sorted, whether a collection came before
  take<u32>(body);            // how small a site may be
  event::HeapSize size;
  size.used = take<u32>(body);
  size.objects = take<u32>(body);
  take<u64>(body), take<u64>(body);  // sums of all that was allocated
  const u32 count = take<u32>(body);
  constexpr std::size_t kSite = 25;
  if (!body.fits(count, kSite)) return;
  add(base::kNoId, size);
  for (u32 i = 0; i < count; ++i) {
    body.byte();  // of arrays, the type of elements: the class says it
    const Id type = class_of(take<u32>(body));
    const u32 trace = take<u32>(body);
    event::Census census;
    census.bytes = take<u32>(body);
    census.objects = take<u32>(body);
    event::AllocSummary allocated;
    allocated.bytes = take<u32>(body);
    allocated.count = take<u32>(body);
    allocated.stack = stack_of(trace);
    add(type, allocated);
    add(type, census);
  }
}

void Definitions::heap_summary(base::Cursor& body) {
  event::HeapSize size;
  size.used = take<u32>(body);
  size.objects = take<u32>(body);
  event::AllocSummary allocated;
  allocated.bytes = take<u64>(body);
  allocated.count = take<u64>(body);
  if (!body.ok()) return;
  add(base::kNoId, size);
  add(base::kNoId, allocated);
}

void Definitions::start_thread(base::Cursor& body) {
  const u32 serial = take<u32>(body);
  event::Thread details;
  details.object = take_id(body, id_size_);
  take<u32>(body);  // a stack trace
  const Id name = take_id(body, id_size_);
  const Id group = take_id(body, id_size_);
  const Id parent = take_id(body, id_size_);
  if (!body.ok()) return;
  details.name = kept(name);
  details.group = kept(group);
  details.parent_group = kept(parent);
  add(serial, details);
}

void Definitions::end_thread(base::Cursor& body) {
  const u32 serial = take<u32>(body);
  if (!body.ok()) return;
  event::Thread details;
  details.life = event::Life::end;
  add(serial, details);
}

void Definitions::cpu_samples(base::Cursor& body) {
  take<u32>(body);  // all samples
  const u32 count = take<u32>(body);
  if (!body.fits(count, 8)) return;
  for (u32 i = 0; i < count; ++i) {
    event::Sample details;
    details.mode = event::SampleMode::cpu;
    details.weight = take<u32>(body);
    details.stack = stack_of(take<u32>(body));
    add(base::kNoId, details);
  }
}

void Definitions::settings(base::Cursor& body) {
  const u32 flags = take<u32>(body);
  const auto depth = take<std::uint16_t>(body);
  if (!body.ok()) return;
  const auto add_setting = [&](std::string_view key, std::string_view value) {
    event::Setting details;
    details.key = batch_->keep(key);
    details.value = batch_->keep(value);
    add(base::kNoId, details);
  };
  add_setting("allocation traces", (flags & 1) != 0 ? "on" : "off");
  add_setting("CPU sampling", (flags & 2) != 0 ? "on" : "off");
  add_setting("stack depth", fmt::format("{}", depth));
}

}  // namespace polytrace::format::hprof
