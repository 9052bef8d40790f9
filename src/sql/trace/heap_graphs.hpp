// SPDX-License-Identifier: Apache-2.0
// The graphs of a trace's heap snapshots, as `polytrace heap` has them: made when they are first
// asked for, the last one kept. Any thread, one at a time.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "analysis/heap/questions.hpp"
#include "analysis/heap/study.hpp"
#include "store/store.hpp"

namespace polytrace::sql {

class HeapGraphs {
 public:
  using Use = std::function<void(const analysis::HeapView& view)>;

  // The store must outlive it.
  explicit HeapGraphs(const store::Store& store) : store_(store) {}

  // Asks a snapshot, by its number from 0; nothing: the last complete one. Gives its number;
  // nothing where there is none such, then `use` is not called. Errors: query_timeout when asked to
  // stop.
  base::result<std::optional<std::uint64_t>> with(std::optional<std::uint64_t> dump,
                                                  const std::atomic<bool>* stop,
                                                  const Use& use) const;

 private:
  struct Graph {
    explicit Graph(std::optional<std::uint64_t> dump) : asked(dump), study(dump) {}
    std::optional<std::uint64_t> asked;
    analysis::HeapStudy study;
    analysis::Dominators dominators{};
  };
  base::result<void> read(std::optional<std::uint64_t> dump, const std::atomic<bool>* stop) const;

  const store::Store& store_;
  mutable std::mutex mutex_;  // guards what follows, and the names that a study numbers
  mutable std::unique_ptr<Graph> graph_;
};

}  // namespace polytrace::sql
