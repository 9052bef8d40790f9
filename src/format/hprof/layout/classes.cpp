// SPDX-License-Identifier: Apache-2.0
#include "format/hprof/layout/classes.hpp"

#include "base/codes.hpp"
#include "format/hprof/layout/big_endian.hpp"

namespace polytrace::format::hprof {
namespace {

void skip_constants(base::Cursor& cursor, std::size_t id_size) {
  for (std::size_t count = take<std::uint16_t>(cursor); count != 0 && cursor.ok(); --count) {
    take<std::uint16_t>(cursor);
    const std::size_t size = value_bytes(cursor.byte(), id_size);
    if (cursor.ok() && size == 0) return cursor.fault(base::Code::value_unexpected);
    cursor.bytes(size);
  }
}

std::optional<std::int64_t>* offset_named(ClassDump& dump, Id name, const Special& special) {
  if (dump.id == 0 || dump.id != special.atomic) return nullptr;
  if (name == special.data_offset) return &dump.data_offset;
  return name == special.type_offset ? &dump.type_offset : nullptr;
}

void read_static(base::Cursor& cursor, std::size_t id_size, const Special& special,
                 ClassDump& dump) {
  constexpr std::uint8_t kLong = 11;
  const Id name = take_id(cursor, id_size);
  const std::uint8_t type = cursor.byte();
  const std::size_t size = value_bytes(type, id_size);
  if (cursor.ok() && size == 0) return cursor.fault(base::Code::value_unexpected);
  const std::uint64_t offset = cursor.offset();
  const base::Bytes value = cursor.bytes(size);
  if (!cursor.ok()) return;
  if (type == kReference) {
    ++dump.static_references;
    dump.fields.push_back({name, offset, true});
    if (const Id target = load_id(value.data(), id_size); target != 0)
      dump.references.push_back({target, offset});
    return;
  }
  dump.static_bytes += static_cast<std::uint32_t>(size);
  if (auto* const told = offset_named(dump, name, special); told != nullptr && type == kLong)
    *told = static_cast<std::int64_t>(load_big<std::uint64_t>(value.data()));
}

void read_field(base::Cursor& cursor, std::size_t id_size, const Special& special,
                ClassDump& dump) {
  const Id name = take_id(cursor, id_size);
  const std::uint8_t type = cursor.byte();
  const std::size_t size = value_bytes(type, id_size);
  if (cursor.ok() && size == 0) return cursor.fault(base::Code::value_unexpected);
  if (type == kReference) {
    const bool of_reference = dump.id != 0 && dump.id == special.reference;
    if (of_reference && name == special.referent) dump.referent = dump.offsets.size();
    ++dump.own_references;
    dump.fields.push_back({name, dump.own_bytes, false});
    dump.offsets.push_back(dump.own_bytes);
  } else {
    constexpr std::uint8_t kInt = 10;
    const bool of_chunk = dump.id != 0 && dump.id == special.stack_chunk;
    if (of_chunk && name == special.size && type == kInt) dump.words = dump.own_bytes;
    dump.own_values += static_cast<std::uint32_t>(size);
  }
  dump.own_bytes += static_cast<std::uint32_t>(size);
}

// 0 where one of them can be no offset.
std::int64_t distance(std::int64_t one, std::int64_t other) {
  if (one < 0 || other < 0) return 0;
  return one < other ? other - one : one - other;
}

}  // namespace

ClassDump read_class(base::Cursor& cursor, std::size_t id_size, const Special& special) {
  constexpr int kOthers = 4;  // ids: signers, protection domain, two that are reserved
  const std::uint64_t start = cursor.offset();
  ClassDump dump;
  dump.id = take_id(cursor, id_size);
  dump.strength = special.strength_of(dump.id);
  take<std::uint32_t>(cursor);  // a stack trace
  dump.super = take_id(cursor, id_size);
  dump.loader = take_id(cursor, id_size);
  for (const Id one : {dump.super, dump.loader})
    if (one != 0) dump.references.push_back({one, 0});
  for (int i = 0; i < kOthers; ++i)
    if (const Id other = take_id(cursor, id_size); other != 0)
      dump.references.push_back({other, 0});
  dump.instance_size = take<std::uint32_t>(cursor);
  skip_constants(cursor, id_size);
  for (std::size_t count = take<std::uint16_t>(cursor); count != 0 && cursor.ok(); --count)
    read_static(cursor, id_size, special, dump);
  for (std::size_t count = take<std::uint16_t>(cursor); count != 0 && cursor.ok(); --count)
    read_field(cursor, id_size, special, dump);
  for (event::Ref& reference : dump.references)
    if (reference.offset != 0) reference.offset -= start;
  for (NamedField& field : dump.fields)
    if (field.is_static) field.offset -= start;
  return dump;
}

void Sizes::set_reference(std::uint32_t bytes, std::size_t id_size) {
  reference = bytes;
  head = static_cast<std::uint32_t>(id_size) + bytes;
}

void Sizes::learn_address(Id object, std::size_t id_size) {
  constexpr Id kBeyondCompressed = Id{1} << 40;
  if (object >= kBeyondCompressed && !declared) set_reference(8, id_size);
}

void Sizes::learn(const ClassDump& dump, std::size_t id_size, const Special& special) {
  if (dump.data_offset && dump.type_offset && id_size == 8 && !declared) {
    const std::int64_t between = distance(*dump.data_offset, *dump.type_offset);
    if (between == 4 || between == 8) set_reference(static_cast<std::uint32_t>(between), id_size);
  }
  if (dump.id == 0 || dump.id != special.object) return;
  declared = dump.instance_size > 0;
  if (declared) {
    head = dump.instance_size;
    reference = id_size == 8 && head >= id_size + 8 ? 8 : 4;
  } else {
    learn_address(dump.id, id_size);
  }
}

}  // namespace polytrace::format::hprof
