// SPDX-License-Identifier: Apache-2.0
// What the parts of the second pass have in common: the state writer, what the first pass left, and
// names as they stand in paths and values. One thread at a time.
#pragma once

#include <string>
#include <vector>

#include "analysis/states/derive/state_writer.hpp"
#include "analysis/states/gather/gathered.hpp"

namespace polytrace::analysis {

struct ThreadName {
  base::Id id = base::kNoId;
  std::string path{};                   // as in Threads/<path>
  std::uint32_t first_name = kNothing;  // a text
};

class World {
 public:
  World(Gathered& gathered, history::Builder& builder, base::Notices& notices);

  StateWriter writer;

  const Gathered& gathered() const { return gathered_; }
  // Of a thread as a happening names it; kNothing stays.
  std::uint32_t thread(std::uint32_t thread) const {
    if (thread == kNothing || (thread & Gathered::kMentioned) == 0) return thread;
    return mentioned_[thread & ~Gathered::kMentioned];
  }
  const std::vector<ThreadName>& threads() const { return threads_; }
  // Made once, as UTF-8; lives as long as this.
  std::string_view method_name(std::uint32_t method);
  std::string class_name(std::uint32_t type) const;
  std::string_view text(std::uint32_t index) const { return gathered_.texts.text(index); }

 private:
  void name_threads();

  const Gathered& gathered_;
  std::vector<ThreadName> threads_;
  std::vector<std::uint32_t> mentioned_;
  std::vector<std::string> methods_;
};

// An address or id in a path or value.
std::string hex_text(base::Id id);

}  // namespace polytrace::analysis
