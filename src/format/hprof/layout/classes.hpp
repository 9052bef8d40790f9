// SPDX-License-Identifier: Apache-2.0
// What class dumps tell of the objects of their classes: where in an object's bytes its references
// lie, and how large it is in memory. The file does not tell how large references and object heads
// are there; docs/formats/hprof.md, section 5, has the rules.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "base/io/cursor.hpp"
#include "base/layered_map.hpp"
#include "event/details.hpp"

namespace polytrace::format::hprof {

using base::Id;

// Ids of what has a meaning of its own, as far as the records before told them; 0 = not yet.
struct Special {
  Id object = 0;       // java.lang.Object
  Id class_class = 0;  // java.lang.Class
  Id atomic = 0;       // java.lang.Class$Atomic, and the names of two of its fields
  Id data_offset = 0;
  Id type_offset = 0;
  std::array<Id, 12> arrays{};  // classes of arrays of values, by type
  Id stack_chunk = 0;           // jdk.internal.vm.StackChunk, and the name of its field
  Id size = 0;
  Id reference = 0;  // java.lang.ref.Reference, and the name of its field
  Id referent = 0;
  // Its sub classes that say how strongly it holds.
  struct Holder {
    Id id = 0;
    event::RefStrength strength = event::RefStrength::unknown;
  };
  std::array<Holder, 4> holders{};

  // Where no record told of the class, an id that no object has.
  static constexpr Id kNamedByType = ~Id{0xff};
  Id array_class(std::uint8_t type) const {
    return arrays[type] != 0 ? arrays[type] : kNamedByType + type;
  }

  event::RefStrength strength_of(Id type) const {
    for (const Holder& holder : holders)
      if (holder.id == type && type != 0) return holder.strength;
    return event::RefStrength::unknown;
  }
};

// One that refers to objects.
struct NamedField {
  Id name = 0;
  std::uint64_t offset = 0;  // as of references; of an object's fields, behind the class's own
  bool is_static = false;
};

// A class as its dump tells it.
struct ClassDump {
  Id id = 0;
  Id super = 0;
  Id loader = 0;  // 0: the boot loader
  std::uint32_t instance_size = 0;
  std::uint32_t own_bytes = 0;           // of its own fields in an object's record
  std::uint32_t own_references = 0;      // among its fields
  std::uint32_t own_values = 0;          // bytes of the others
  std::vector<std::uint32_t> offsets{};  // of its references behind the start of its own fields
  event::RefStrength strength = event::RefStrength::unknown;  // of the referent, here and below
  std::optional<std::size_t> referent{};                      // its place in offsets
  std::optional<std::uint32_t> words{};  // where its number of words behind the fields stands
  std::uint32_t static_bytes = 0;        // in memory, references not counted
  std::uint32_t static_references = 0;
  std::vector<event::Ref> references{};  // to its super class, loader ..., and of static fields
  std::vector<NamedField> fields{};      // static ones first
  std::optional<std::int64_t> data_offset{};  // of Class$Atomic
  std::optional<std::int64_t> type_offset{};
};

// Reads a class dump behind its tag; the cursor's fault says what is wrong.
ClassDump read_class(base::Cursor& cursor, std::size_t id_size, const Special& special);

// In memory.
struct Sizes {
  std::uint32_t reference = 4;
  std::uint32_t head = 12;
  bool declared = false;  // classes tell the sizes of their objects

  static Sizes of(std::size_t id_size) {
    return {4, static_cast<std::uint32_t>(id_size) + 4, false};
  }
  // Some classes tell more than of themselves.
  void learn(const ClassDump& dump, std::size_t id_size, const Special& special);
  // Before any class is described: where java.lang.Object lies.
  void learn_address(Id object, std::size_t id_size);
  void set_reference(std::uint32_t bytes, std::size_t id_size);
  std::uint64_t of_array(std::uint64_t bytes) const { return aligned(head + 4 + bytes); }
  static std::uint64_t aligned(std::uint64_t size) { return (size + 7) & ~std::uint64_t{7}; }
};

// Classes at one place in the file. Cheap to copy; a copy does not change with the other.
struct Classes {
  using Known = std::shared_ptr<const ClassDump>;
  base::LayeredMap<Id, Known> known{};
  Sizes sizes{};
};

// An object of a class with all that it inherits; a referent comes first where it is not strong.
struct Layout {
  bool known = false;                                         // with all its super classes
  std::uint64_t bytes = 0;                                    // of its record
  std::uint64_t size = 0;                                     // in memory
  std::vector<std::uint32_t> offsets{};                       // of references in the record
  event::RefStrength strength = event::RefStrength::unknown;  // of the first
  std::optional<std::uint32_t> words{};                       // as of the class
};

// `find(id)` gives a class or null.
template <class Find>
Layout lay_out(Id id, const Sizes& sizes, const Find& find) {
  constexpr int kMostSupers = 1000;  // a circle, else
  Layout out;
  std::uint64_t size = sizes.head;
  std::optional<std::size_t> referent;
  for (int depth = 0; id != 0; ++depth) {
    const ClassDump* const type = find(id);
    if (type == nullptr || depth == kMostSupers) return out;
    if (depth == 0 && sizes.declared) out.size = type->instance_size;
    if (depth == 0) out.words = type->words;
    if (type->strength != event::RefStrength::unknown) out.strength = type->strength;
    if (type->referent) referent = out.offsets.size() + *type->referent;
    for (const std::uint32_t offset : type->offsets)
      out.offsets.push_back(static_cast<std::uint32_t>(out.bytes) + offset);
    out.bytes += type->own_bytes;
    size += std::uint64_t{type->own_references} * sizes.reference;
    size += type->own_values;
    id = type->super;
  }
  if (!sizes.declared) out.size = Sizes::aligned(size);
  out.known = true;
  if (!referent) out.strength = event::RefStrength::unknown;
  else if (out.strength != event::RefStrength::unknown)
    std::swap(out.offsets.front(), out.offsets[*referent]);
  return out;
}

}  // namespace polytrace::format::hprof
