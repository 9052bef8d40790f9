// SPDX-License-Identifier: Apache-2.0
#include "format/hprof/decoders.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/codes.hpp"
#include "format/hprof/layout/big_endian.hpp"
#include "format/hprof/layout/parts.hpp"

namespace polytrace::format::hprof {

using base::Bytes;
using base::Code;

constexpr std::uint32_t kNoFrame = ~std::uint32_t{0};  // a local of no frame of the stack

// A file cannot choose its collisions.
HeapDecoder::HeapDecoder(const Context& context, std::size_t id_size, event::Batch& batch)
    : context_(context),
      id_size_(id_size),
      batch_(batch),
      time_(context.time),
      nobody_(batch.thread_slot(base::kNoId)),
      sizes_(context.classes.sizes),
      unnamed_(context.named_by_type) {}

Id HeapDecoder::id(const std::byte* at) const { return load_id(at, id_size_); }

void HeapDecoder::add_object(Id object, Id type, std::uint64_t size, event::Refs refs,
                             event::RefStrength first) {
  event::DumpObject details;
  details.class_id = type;
  details.size = size;
  details.refs = refs;
  details.first_ref = first;
  batch_.add(time_, nobody_, object, details);
}

// What `emit(all)` puts behind the references of the batch.
template <class Emit>
event::Refs HeapDecoder::gather(const Emit& emit) {
  auto& all = batch_.column<event::Ref>();
  event::Refs refs;
  refs.first = static_cast<std::uint32_t>(all.size());
  emit(all);
  refs.count = static_cast<std::uint32_t>(all.size() - refs.first);
  return refs;
}

event::Refs HeapDecoder::elements(Bytes bytes, std::uint64_t first) {
  return gather([&](std::vector<event::Ref>& all) {
    for (std::size_t at = 0; at < bytes.size(); at += id_size_)
      if (const Id target = id(bytes.data() + at); target != 0)
        all.push_back({target, first * id_size_ + at});
  });
}

event::Refs HeapDecoder::fields(const std::byte* data, const Layout& layout) {
  return gather([&](std::vector<event::Ref>& all) {
    for (const std::uint32_t offset : layout.offsets)
      if (const Id target = id(data + offset); target != 0) all.push_back({target, offset});
  });
}

const Layout& HeapDecoder::layout_of(Id type) {
  Recent& recent = recent_[(type * 0x9e3779b97f4a7c15U) >> 56];
  if (recent.type != type || recent.layout == nullptr) recent = {type, &make_layout(type)};
  return *recent.layout;
}

const Layout& HeapDecoder::make_layout(Id type) {
  auto& layout = layouts_[type];
  if (layout != nullptr) return *layout;
  const auto find = [&](Id id) -> const ClassDump* {
    if (const auto here = learned_.find(id); here != learned_.end()) return here->second.get();
    const auto before = context_.classes.known.find(id);
    return before ? before->get() : nullptr;
  };
  layout = std::make_unique<Layout>(lay_out(type, sizes_, find));
  return *layout;
}

void HeapDecoder::parts(Bytes bytes, std::uint64_t offset) {
  std::size_t at = 0;
  auto passed = context_.passed.begin();
  while (at < bytes.size()) {
    const auto kind = static_cast<Part>(bytes[at]);
    const bool passes = passed != context_.passed.end() && *passed == at;
    passed += passes;
    const std::size_t size =
        kind == Part::class_dump ? class_dump(bytes.subspan(at), offset + at, passes)
        : passes ? static_cast<std::size_t>(measure(bytes.subspan(at), id_size_).bytes)
                 : part(bytes.data() + at, offset + at);
    auto& tally = batch_.tally.records[tallied(kind)];
    ++tally.count;
    tally.bytes += size;
    at += size;
  }
}

void HeapDecoder::objects(Bytes bytes) {
  constexpr std::size_t kPlace = sizeof(std::uint64_t);
  for (std::size_t at = 0; at < bytes.size();) {
    const auto offset = base::load_le<std::uint64_t>(bytes.data() + at);
    at += kPlace;
    at += instance(bytes.data() + at, offset);
  }
}

std::size_t HeapDecoder::part(const std::byte* at, std::uint64_t offset) {
  switch (static_cast<Part>(*at)) {
    case Part::instance: return instance(at, offset);
    case Part::object_array: return object_array(at);
    case Part::value_array:
    case Part::bare_array: return value_array(at, static_cast<Part>(*at));
    case Part::heap_info: return 1 + 4 + id_size_;
    case Part::unreachable: return 1 + id_size_;
    default: return root(at, *root_kind(static_cast<Part>(*at)));
  }
}

std::size_t HeapDecoder::instance(const std::byte* at, std::uint64_t offset) {
  const std::size_t head = 1 + 2 * id_size_ + 8;
  const Id type = id(at + 1 + id_size_ + 4);
  const std::size_t bytes = load_big<std::uint32_t>(at + head - 4);
  const Layout& layout = layout_of(type);
  if (layout.known && layout.bytes == bytes) [[likely]] {
    const event::RefStrength first =
        layout.strength != event::RefStrength::unknown && id(at + head + layout.offsets[0]) != 0
            ? layout.strength
            : event::RefStrength::unknown;
    add_object(id(at + 1), type, layout.size + stack_of(at + head, layout),
               fields(at + head, layout), first);
  } else {
    batch_.notices.add(Code::value_unexpected, {.offset = offset}, 0,
                       fmt::format("class {:#x} is not described, or otherwise", type));
    add_object(id(at + 1), type, Sizes::aligned(sizes_.head + bytes), {});
  }
  return head + bytes;
}

// What a chunk of a thread's stack keeps behind its fields, in words.
std::uint64_t HeapDecoder::stack_of(const std::byte* data, const Layout& layout) const {
  if (!layout.words) [[likely]]
    return 0;
  const auto words = static_cast<std::int32_t>(load_big<std::uint32_t>(data + *layout.words));
  return words < 0 ? 0 : static_cast<std::uint64_t>(words) * id_size_;
}

std::size_t HeapDecoder::object_array(const std::byte* at) {
  const std::size_t head = array_head(Part::object_array, id_size_);
  const std::size_t length = load_big<std::uint32_t>(at + 1 + id_size_ + 4);
  const std::size_t bytes = length * id_size_;
  add_object(id(at + 1), id(at + 1 + id_size_ + 8), sizes_.of_array(length * sizes_.reference),
             elements({at + head, bytes}, 0));
  return head + bytes;
}

std::size_t HeapDecoder::value_array(const std::byte* at, Part part) {
  const std::size_t head = array_head(part, id_size_);
  const auto type = static_cast<std::uint8_t>(at[head - 1]);
  const std::size_t length = load_big<std::uint32_t>(at + 1 + id_size_ + 4);
  const std::size_t bytes = length * value_bytes(type, id_size_);
  event::Refs none;
  none.first = static_cast<std::uint32_t>(batch_.column<event::Ref>().size());
  if ((unnamed_ >> type & 1) != 0) [[unlikely]]
    name_array(type);
  add_object(id(at + 1), context_.special.array_class(type), sizes_.of_array(bytes), none);
  return part == Part::bare_array ? head : head + bytes;
}

// `again`: it was told before.
std::size_t HeapDecoder::class_dump(Bytes bytes, std::uint64_t offset, bool again) {
  base::Cursor cursor(bytes.subspan(1), offset + 1);
  auto dump = std::make_shared<ClassDump>(read_class(cursor, id_size_, context_.special));
  sizes_.learn(*dump, id_size_, context_.special);
  if (!again) name_fields(*dump, offset);
  const event::Refs refs = gather([&](std::vector<event::Ref>& all) {
    all.insert(all.end(), dump->references.begin(), dump->references.end());
  });
  dump->fields = {};
  const std::uint64_t statics =
      dump->static_bytes + std::uint64_t{dump->static_references} * sizes_.reference;
  const Id of = context_.special.class_class;
  if (!again)
    add_object(dump->id, of == 0 ? base::kNoId : of, Sizes::aligned(sizes_.head + statics), refs);
  // What was laid out without it may be different now.
  layouts_.clear();
  recent_ = {};
  learned_[dump->id] = std::move(dump);
  return static_cast<std::size_t>(cursor.offset() - offset);
}

// Before the first array of these values.
void HeapDecoder::name_array(std::uint8_t type) {
  unnamed_ &= static_cast<std::uint16_t>(~(1U << type));
  event::Class details;
  details.life = event::Life::name;
  details.name = batch_.keep(value_array_name(type));
  batch_.add(time_, nobody_, Special::kNamedByType + type, details);
}

event::Text HeapDecoder::field_name(Id id) {
  const auto [kept, fresh] = kept_names_.try_emplace(id);
  if (fresh && context_.field_names != nullptr)
    if (const auto told = context_.field_names->find(id); told != context_.field_names->end())
      kept.value() = batch_.keep(told->second);
  return kept->second;
}

void HeapDecoder::name_fields(const ClassDump& dump, std::uint64_t offset) {
  // A few bytes can name a long text often.
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // of one batch
  for (const NamedField& field : dump.fields) {
    event::Field details;
    details.name = field_name(field.name);
    details.offset = field.offset;
    details.is_static = static_cast<std::uint8_t>(field.is_static);
    name_bytes_ += details.name.size();
    if (name_bytes_ <= kMostBytes) batch_.add(time_, nobody_, dump.id, details);
    else batch_.notices.add(Code::limit_exceeded, {.offset = offset}, 0, "names of fields");
  }
  if (dump.super == 0) return;
  event::Field inherited;
  inherited.offset = dump.own_bytes;
  inherited.class_id = dump.super;
  batch_.add(time_, nobody_, dump.id, inherited);
}

std::size_t HeapDecoder::root(const std::byte* at, const RootKind& kind) {
  const Id object = id(at + 1);
  std::size_t size = 1 + id_size_;
  event::Root details;
  details.type = kind.name;
  if (static_cast<Part>(*at) == Part::jni_global) {
    details.address = id(at + size);
    size += id_size_;
  }
  if (kind.has_thread) {
    details.extra = load_big<std::uint32_t>(at + size);
    size += 4;
  }
  if (const auto part = static_cast<Part>(*at); part == Part::java_frame || part == Part::jni_local)
    if (const auto frame = load_big<std::uint32_t>(at + size); frame != kNoFrame)
      details.address = frame;
  size += std::size_t{4} * kind.numbers;
  batch_.add(time_, nobody_, object, details);
  if (static_cast<Part>(*at) == Part::thread_object) {
    event::Thread thread;
    thread.life = event::Life::name;
    thread.object = object;
    batch_.add(time_, nobody_, details.extra, thread);
  }
  return size;
}

void HeapDecoder::piece(Bytes bytes) {
  const ArrayPiece& array = *context_.array;
  auto& tally =
      batch_.tally.records[tallied(array.references ? Part::object_array : Part::value_array)];
  tally.count += array.size != 0;
  tally.bytes += bytes.size() + context_.array_bytes;
  if (array.again) return;
  while (unnamed_ != 0) name_array(static_cast<std::uint8_t>(std::countr_zero(unnamed_)));
  add_object(array.object, array.type, array.size, elements(bytes, array.first));
}

}  // namespace polytrace::format::hprof
