// SPDX-License-Identifier: Apache-2.0
// What a graph of locks shows of itself.
#pragma once

#include <functional>

#include "analysis/analysis.hpp"
#include "analysis/table/words.hpp"
#include "analysis/threads/lock_graph.hpp"

namespace polytrace::analysis {

// "App.Lock 0x7f00"; by index of the lock.
using LockName = std::function<std::string(std::uint32_t lock)>;

// How many waited at once, who waited for whom, and chains over several locks.
std::vector<Table> lock_tables(const LockGraph& graph, const LockName& lock_name,
                               const Names& names, const Selection& selection,
                               const TableOptions& options);
// Locks that many threads queue at.
std::vector<Suspect> find_convoys(const LockGraph& graph, const LockName& lock_name,
                                  const Names& names);

}  // namespace polytrace::analysis
