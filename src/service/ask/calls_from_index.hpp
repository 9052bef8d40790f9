// SPDX-License-Identifier: Apache-2.0
// The sections of a report that are about calls, from the sums of an index: the same tables that
// reading the trace gives, in milliseconds. Any number of threads may ask of one Store.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analysis/report/report.hpp"
#include "store/store.hpp"

namespace polytrace::service {

struct CallsQuestion {
  std::vector<const analysis::Section*> sections{};  // in the order of the answer
  // All of it counts. Its pauses are those of the index: `pauses` only says that they are left out.
  slice::Selection selection{};
  analysis::TableOptions table{};
  bool durations = true;  // of methods' calls: else only where the index keeps them
  const std::atomic<bool>* stop = nullptr;
};

// Whether the sums of an index are of all calls, as reports count them: not of one that is not
// complete, or has times that went back, or calls that were told as sums, by changes of stacks, or
// beyond the limit of open calls. Then the events have to be read. Errors: those of frames.
base::result<bool> sums_have_all_calls(const store::Store& store);

// Whether the trace has CPU times of threads. Errors: those of frames.
base::result<bool> has_cpu_of_threads(const store::Store& store);

// Methods, call tree, callers, bottom-up and sandwich.
bool is_of_calls(const analysis::Section& section);

struct CallTables {
  std::vector<analysis::Table> tables{};
  std::vector<analysis::Report::Empty> empty{};
};

// Nothing where the events have to be read for it: of other sections; of methods and the call tree
// where threads have CPU time; of an index whose sums have not all calls, or has merged paths.
// Errors: those of frames; read_failed when asked to stop.
base::result<std::optional<CallTables>> calls_from_index(const store::Store& store,
                                                         const CallsQuestion& question);

// Methods have the indexes of the index and the names that reading the trace would give; there are
// no threads. Null where that cannot be: then the index does not fit together.
std::unique_ptr<const slice::Names> names_of(const store::Store& store);

}  // namespace polytrace::service
