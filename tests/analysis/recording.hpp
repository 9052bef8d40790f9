// SPDX-License-Identifier: Apache-2.0
// Hand-made traces for tests: events one after the other, in one batch until cut().
#pragma once

#include "analysis/analysis.hpp"
#include "slice/slicer.hpp"

namespace polytrace::analysis {

class Recording {
 public:
  explicit Recording(Analysis& analysis) : analysis_(analysis) { slicer_.follow_calls(); }
  ~Recording() = default;

  Recording& thread(base::Id id) {
    thread_ = id;
    return *this;
  }
  Recording& enter(base::Time time, base::Id method) {
    return call(time, method, event::Kind::Enter);
  }
  Recording& leave(base::Time time, base::Id method) {
    return call(time, method, event::Kind::Leave);
  }
  Recording& unwind(base::Time time, base::Id method) {
    return call(time, method, event::Kind::Unwind);
  }
  Recording& name(base::Id method, std::string_view name) {
    event::Method details;
    details.name = name;
    return add(0, method, details);
  }
  template <class Details>
  Recording& add(base::Time time, base::Id id, const Details& details) {
    batch_.add(time, batch_.thread_slot(thread_), id, details);
    return *this;
  }
  // A stack for a following event, outermost first.
  event::Stack stack(std::initializer_list<base::Id> methods) {
    event::Stack stack;
    stack.first = static_cast<std::uint32_t>(batch_.frames.size());
    stack.count = static_cast<std::uint32_t>(methods.size());
    batch_.frames.insert(batch_.frames.end(), methods);
    return stack;
  }
  // The place of a stack's only frame, for Stack::places.
  std::uint32_t place(const event::FramePlace& place) {
    auto& places = batch_.column<event::FramePlace>();
    places.push_back(place);
    return static_cast<std::uint32_t>(places.size() - 1);
  }
  event::IlMap il_map(std::initializer_list<event::IlRange> ranges) {
    auto& all = batch_.column<event::IlRange>();
    event::IlMap map;
    map.first = static_cast<std::uint32_t>(all.size());
    map.count = static_cast<std::uint32_t>(ranges.size());
    all.insert(all.end(), ranges);
    return map;
  }
  // Ends the batch.
  Recording& cut() {
    slicer_.slice(batch_, [&](const Slice& slice) {
      ++slices_;
      analysis_.consume(slice);
    });
    batch_.clear();
    return *this;
  }
  void finish() {
    cut();
    analysis_.finish(names());
  }
  const Names& names() const { return slicer_.names(); }
  int slices() const { return slices_; }
  event::Batch& batch() { return batch_; }

 private:
  Recording& call(base::Time time, base::Id method, event::Kind kind) {
    batch_.add_plain(time, batch_.thread_slot(thread_), method, kind);
    return *this;
  }

  Analysis& analysis_;
  Slicer slicer_;
  event::Batch batch_;
  base::Id thread_ = 1;
  int slices_ = 0;
};

// The cell of the column `key`; the first row whose last cell is `name`.
inline Cell cell(const Table& table, std::string_view name, std::string_view key) {
  for (const auto& row : table.rows) {
    if (row.back() != Cell{std::string(name)}) continue;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].key == key) return row[i];
  }
  return std::string("no such cell");
}

}  // namespace polytrace::analysis
