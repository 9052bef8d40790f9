// SPDX-License-Identifier: Apache-2.0
// The states of the runtime as a whole that need little: Recording, Heap, JIT, Classes, Counters,
// Process, Lost. One thread at a time.
#pragma once

#include <map>

#include "analysis/states/derive/state_writer.hpp"
#include "analysis/states/derive/world.hpp"
#include "analysis/states/gather/happening.hpp"

namespace polytrace::analysis {

class RuntimeStates {
 public:
  explicit RuntimeStates(World& world) : world_(world) {}

  // At the first tick.
  void begin();
  void recording(event::RecordingStage stage);
  void heap(const Happening& happening);
  void jit(const Happening& happening);
  void code();
  void class_change(const Happening& happening);
  void counter(const Happening& happening);
  void process_cpu(std::uint64_t used);
  void lost(std::uint64_t records, std::uint64_t bytes);

 private:
  using Sizes = Attributes<HeapField, 3>;
  enum class Jit : std::uint8_t { compiling, compiled };

  void declare_counters();
  Sizes& sizes(std::uint32_t generation);
  history::Key key(history::Key& cached, std::string_view group, std::string_view name);
  void show_jit();

  World& world_;
  history::Key recording_ = history::kNoKey;
  history::Key heap_ = history::kNoKey;
  std::map<std::uint32_t, Sizes> sizes_;  // by generation, a text; kNothing: of the whole heap
  Attributes<Jit, 2> jit_;
  bool any_jit_ = false;
  std::vector<std::uint32_t> compiling_by_;  // by thread
  std::uint64_t compiling_ = 0;
  std::uint64_t compiled_ = 0;
  std::vector<bool> is_loaded_;  // by class
  std::uint64_t loaded_ = 0;
  history::Key loaded_key_ = history::kNoKey;
  std::vector<history::Key> counters_;  // history::kNoKey: without values
  std::uint64_t process_cpu_ = 0;
  history::Key process_cpu_key_ = history::kNoKey;
  std::uint64_t lost_records_ = 0;
  std::uint64_t lost_bytes_ = 0;
  history::Key lost_ = history::kNoKey;
  history::Key lost_bytes_key_ = history::kNoKey;
};

}  // namespace polytrace::analysis
