// SPDX-License-Identifier: Apache-2.0
// Turns parts of a heap dump into events: the objects with their references, and the roots. Used by
// one thread; what it looks at in the context, many may.
#pragma once

#include <array>

#include "base/seeded_hash.hpp"
#include "event/reader.hpp"
#include "format/hprof/layout/context.hpp"
#include "format/hprof/layout/records.hpp"

namespace polytrace::format::hprof {

class HeapDecoder {
 public:
  HeapDecoder(const Context& context, std::size_t id_size, event::Batch& batch);

  // Whole parts. `offset` is of the first byte.
  void parts(base::Bytes bytes, std::uint64_t offset);
  // The elements of a piece of an array; the chunk's context tells of which.
  void piece(base::Bytes elements);

 private:
  std::size_t part(const std::byte* at, std::uint64_t offset);
  std::size_t root(const std::byte* at, const RootKind& kind);
  std::size_t class_dump(base::Bytes bytes, std::uint64_t offset);
  std::size_t instance(const std::byte* at, std::uint64_t offset);
  std::size_t object_array(const std::byte* at);
  std::size_t value_array(const std::byte* at, std::uint64_t offset);

  Id id(const std::byte* at) const;
  void add_object(Id object, Id type, std::uint64_t size, event::Refs refs,
                  event::RefStrength first = event::RefStrength::unknown);
  event::Refs elements(base::Bytes bytes, std::uint64_t first);
  event::Refs fields(const std::byte* data, const Layout& layout);
  void name_fields(const ClassDump& dump, std::uint64_t offset);
  event::Text field_name(Id id);
  const Layout& layout_of(Id type);
  const Layout& make_layout(Id type);
  template <class Emit>
  event::Refs gather(const Emit& emit);

  const Context& context_;
  std::size_t id_size_;
  event::Batch& batch_;
  base::Time time_;
  std::uint16_t nobody_;
  Sizes sizes_;
  base::IdMap<std::shared_ptr<const ClassDump>> learned_;  // in this chunk
  base::IdMap<event::Text> kept_names_;                    // of fields, in the batch
  std::size_t name_bytes_ = 0;                             // as often as they are told
  base::IdMap<std::unique_ptr<Layout>> layouts_;
  // Before the hash table: objects come in runs of a few classes.
  struct Recent {
    Id type = 0;
    const Layout* layout = nullptr;
  };
  std::array<Recent, 256> recent_{};
};

}  // namespace polytrace::format::hprof
