// SPDX-License-Identifier: Apache-2.0
// What gives rows their numbers and takes them back, in tests: plain tables.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "store/build/rows/row_encoder.hpp"
#include "store/read/row_view.hpp"

namespace polytrace::store {

class TestTables final : public TextIds, public StackPaths, public RowMeanings {
 public:
  // Stacks of up to so many frames are paths.
  explicit TestTables(std::size_t longest_path = 3) : longest_path_(longest_path) {}

  // --- numbers ---
  std::uint32_t id(std::string_view text) override { return number(texts_, std::string(text)); }
  StackPath path(std::span<const base::Id> frames) override {
    if (frames.size() > longest_path_) return {};
    return {number(paths_, std::vector(frames.begin(), frames.end())), true};
  }
  u32 thread_index(base::Id thread) { return number(threads_, thread); }
  u64 subject_of(const event::Event& event) {
    if (event::describe(event.kind).subject == "none" || event.id == base::kNoId)
      return Derived::kNone;
    return number(subjects_, event.id);
  }

  // --- what they mean ---
  base::Id thread(u64 index) const override { return at(threads_, index, base::kNoId); }
  base::Id subject(event::Kind, u64 number) const override {
    return at(subjects_, number, base::kNoId);
  }
  base::Id class_id(u64 index) const override { return 1000 + index; }
  std::string_view text(u64 id) const override {
    return id < texts_.all.size() ? std::string_view(texts_.all[id]) : std::string_view();
  }
  void frames(u64 path, std::vector<base::Id>& to) const override {
    for (const base::Id frame : at(paths_, path, {})) to.push_back(frame);
  }

 private:
  template <class Thing>
  struct Numbered {
    std::map<Thing, u32> numbers;
    std::vector<Thing> all;
  };
  template <class Thing>
  static u32 number(Numbered<Thing>& table, const Thing& thing) {
    const auto next = static_cast<u32>(table.all.size());
    const auto [found, is_new] = table.numbers.try_emplace(thing, next);
    if (is_new) table.all.push_back(thing);
    return found->second;
  }
  template <class Thing>
  static Thing at(const Numbered<Thing>& table, u64 number, const Thing& none) {
    return number < table.all.size() ? table.all[number] : none;
  }

  std::size_t longest_path_;
  Numbered<std::string> texts_;
  Numbered<std::vector<base::Id>> paths_;
  Numbered<base::Id> threads_;
  Numbered<base::Id> subjects_;
};

// Adds all events of a batch, which are of the encoder's kind.
inline void add_all(const event::Batch& batch, TestTables& tables, RowEncoder& encoder) {
  for (const event::Event& event : batch.events)
    encoder.add(batch, event, tables.thread_index(batch.thread(event)), tables.subject_of(event));
}

inline base::Bytes bytes_of(const std::string& payload) {
  return std::as_bytes(std::span(payload));
}

}  // namespace polytrace::store
