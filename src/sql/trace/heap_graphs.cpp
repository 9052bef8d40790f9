// SPDX-License-Identifier: Apache-2.0
#include "sql/trace/heap_graphs.hpp"

#include "base/codes.hpp"

namespace polytrace::sql {

base::result<void> HeapGraphs::read(std::optional<std::uint64_t> dump,
                                    const std::atomic<bool>* stop) const {
  auto graph = std::make_unique<Graph>(dump);
  const auto reader = store_.reader();
  event::pump(*reader, graph->study, {.stop = stop});
  if (stop != nullptr && *stop) return base::fail(base::Code::query_timeout, "stopped");
  graph->study.finish();
  graph->dominators = analysis::Dominators::of(graph->study.graph());
  graph_ = std::move(graph);
  return {};
}

base::result<std::optional<std::uint64_t>> HeapGraphs::with(std::optional<std::uint64_t> dump,
                                                            const std::atomic<bool>* stop,
                                                            const Use& use) const {
  const std::lock_guard lock(mutex_);
  const auto is_it = [&] {
    return graph_->asked == dump || (dump && graph_->study.chosen() == *dump);
  };
  if (graph_ == nullptr || !is_it())
    if (auto done = read(dump, stop); !done) return tl::unexpected(done.error());
  if (!graph_->study.chosen()) return std::optional<std::uint64_t>();
  use({graph_->study.graph(), graph_->dominators, graph_->study.names()});
  return std::optional<std::uint64_t>(*graph_->study.chosen());
}

}  // namespace polytrace::sql
