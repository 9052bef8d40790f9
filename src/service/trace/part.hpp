// SPDX-License-Identifier: Apache-2.0
// Which part of an indexed trace a question is about, and in which words its parts below ask.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/profile/rules.hpp"
#include "service/trace/indexed_trace.hpp"

namespace polytrace::service {

struct TracePart {
  std::optional<std::int64_t> from{};    // offset, inclusive; absent: the beginning
  std::optional<std::int64_t> to{};      // exclusive; absent: the end
  std::vector<std::uint32_t> threads{};  // indexes; empty: all
  std::vector<analysis::Rule> rules{};   // of numbers as frames.hpp has them
  bool helpers = false;                  // show frames of the runtime itself
  bool fold = false;                     // a method below itself is one with it
  const std::atomic<bool>* stop = nullptr;

  bool is_all_time() const { return !from && !to; }
};

inline store::Range range_of(const IndexedTrace& trace, const TracePart& part) {
  store::Range range;
  if (part.from) range.from = trace.at(*part.from);
  if (part.to) range.to = trace.at(*part.to);
  range.threads = part.threads;
  range.stop = part.stop;
  return range;
}

// Threads are told apart by their ids there: who chooses one of several that had the same id one
// after the other gets them all, which notes_of() says.
inline slice::Selection selection_of(const IndexedTrace& trace, const TracePart& part) {
  const store::Range range = range_of(trace, part);
  slice::Selection selection;
  selection.from = range.from;
  selection.to = range.to;
  std::vector<base::Id> ids;
  for (const std::uint32_t thread : part.threads) ids.push_back(trace.thread_id(thread));
  if (!ids.empty()) selection.threads = event::ThreadChoice(std::move(ids));
  selection.show_helpers = part.helpers;
  selection.fold_recursion = part.fold;
  return selection;
}

}  // namespace polytrace::service
