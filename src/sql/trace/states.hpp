// SPDX-License-Identifier: Apache-2.0
// What the history of a trace's states says, for tables and functions. Any thread.
#pragma once

#include <string>
#include <vector>

#include "sql/model/table.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

using HistoryPointer = std::shared_ptr<const history::History>;

// Made when it is first asked for. Errors: as Derived::states(); query_wrong where there is none.
base::result<HistoryPointer> states_of(const Trace& trace, const std::atomic<bool>* stop);

// Timelines by their places, with * and ** for parts of them. Empty: all.
std::vector<history::Key> timelines_of(const history::History& history, std::string_view pattern);

// How long a state lasted: up to the next one; the last one of a timeline up to the last event.
std::uint64_t lasted(const history::History& history, const history::Interval& state);
// Texts live as long as the history. Null, and what has no value: NULL.
Value value_of(const history::Value& value);

}  // namespace polytrace::sql
