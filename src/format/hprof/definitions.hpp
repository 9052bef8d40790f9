// SPDX-License-Identifier: Apache-2.0
// The records that are no heap dump: texts, classes, stacks, threads, figures. They mean something
// only together, so they become events in the order of the file, one thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/id_table.hpp"
#include "event/batch.hpp"
#include "format/hprof/layout/classes.hpp"
#include "format/hprof/layout/records.hpp"

namespace polytrace::format::hprof {

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

}  // namespace polytrace::format::hprof
