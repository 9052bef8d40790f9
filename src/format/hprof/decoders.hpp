// SPDX-License-Identifier: Apache-2.0
// From bytes to events: the records that are no heap dump (definitions.cpp), and the parts of a
// heap dump (heap_decoder.cpp).
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/id_table.hpp"
#include "base/seeded_hash.hpp"
#include "event/batch.hpp"
#include "event/reader.hpp"
#include "format/hprof/layout/classes.hpp"
#include "format/hprof/layout/context.hpp"
#include "format/hprof/layout/records.hpp"

namespace polytrace::format::hprof {

// Texts, classes, stacks, threads, figures. They mean something only together, so they become
// events in the order of the file, one thread at a time.
class Definitions {
 public:
  explicit Definitions(std::size_t id_size) : id_size_(id_size) {}

  // Reads the body of a record. What is wrong with it is the cursor's fault; what is odd goes to
  // the batch's notices. False: of an unknown kind.
  bool read(Tag tag, base::Time time, base::Cursor& body, event::Batch& batch);
  const Special& special() const { return special_; }
  // Empty where it is not told. Until the next record is read.
  std::string_view text_of(Id id) const;

 private:
  struct Frame {
    Id method;
    std::int64_t line;
  };
  using MethodKey = std::tuple<std::uint32_t, Id, Id>;  // class, name, signature

  void text(base::Cursor& body);
  void load_class(base::Cursor& body);
  void unload_class(base::Cursor& body);
  void frame(base::Cursor& body);
  void trace(base::Cursor& body);
  void alloc_sites(base::Cursor& body);
  void heap_summary(base::Cursor& body);
  void start_thread(base::Cursor& body);
  void end_thread(base::Cursor& body);
  void cpu_samples(base::Cursor& body);
  void settings(base::Cursor& body);

  template <class T>
  void add(Id id, const T& details);
  event::Text kept(Id id) { return batch_->keep(text_of(id)); }
  Id class_of(std::uint32_t serial) const;
  void name_holder(Id id, std::string_view name);
  void name_special(Id id, std::string_view name);
  event::Stack stack_of(std::uint32_t serial);

  std::size_t id_size_;
  Special special_;
  base::IdTable text_ids_;
  std::vector<std::string> texts_;
  base::IdTable class_serials_;
  std::vector<Id> classes_;
  std::map<MethodKey, Id> methods_;
  base::IdTable frame_ids_;
  std::vector<Frame> frames_;
  base::IdTable trace_serials_;
  std::vector<std::vector<Id>> traces_;  // frames, innermost first

  event::Batch* batch_ = nullptr;  // of the record being read
  base::Time time_ = 0;
  std::uint64_t offset_ = 0;
};

// The objects with their references, and the roots. Used by one thread; what it looks at in the
// context, many may.
class HeapDecoder {
 public:
  HeapDecoder(const Context& context, std::size_t id_size, event::Batch& batch);

  // Whole parts. `offset` is of the first byte.
  void parts(base::Bytes bytes, std::uint64_t offset);
  // Objects that were held back.
  void objects(base::Bytes bytes);
  // The elements of a piece of an array; the chunk's context tells of which.
  void piece(base::Bytes elements);

 private:
  std::size_t part(const std::byte* at, std::uint64_t offset);
  std::size_t root(const std::byte* at, const RootKind& kind);
  std::size_t class_dump(base::Bytes bytes, std::uint64_t offset, bool again);
  std::size_t instance(const std::byte* at, std::uint64_t offset);
  std::size_t object_array(const std::byte* at);
  std::size_t value_array(const std::byte* at, Part part);
  std::uint64_t stack_of(const std::byte* data, const Layout& layout) const;

  Id id(const std::byte* at) const;
  void add_object(Id object, Id type, std::uint64_t size, event::Refs refs,
                  event::RefStrength first = event::RefStrength::unknown);
  event::Refs elements(base::Bytes bytes, std::uint64_t first);
  event::Refs fields(const std::byte* data, const Layout& layout);
  void name_array(std::uint8_t type);
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
  std::uint16_t unnamed_;  // types of values whose arrays have no name yet, a bit for each
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
