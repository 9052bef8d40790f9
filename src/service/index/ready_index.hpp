// SPDX-License-Identifier: Apache-2.0
// The index of a trace, ready to be asked: the current one that is there, else one that is made
// now. Any thread; a Store may be asked by many.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "service/input/pass.hpp"
#include "store/store.hpp"

namespace polytrace::service {

struct ReadyIndex {
  // Nobody removes the index from its folder as long as this lives. Null: stopped before its end.
  std::shared_ptr<const store::Store> store{};
  std::string folder{};  // where it lies; empty: it has no name and goes with `store`
  Reading reading{};     // of the trace, whenever it was read
  std::optional<base::Notice> replaced{};  // what was there before
  std::optional<base::Error> kept_out{};   // why it has no name, where one was wanted
};

// The input's IndexOptions say where; `offered` is of no matter. Without a name it is made in
// $TMPDIR: where `none` is asked for, of standard input, and where the trace's own reader reads
// more than the trace or the folder cannot be used. Refusals: those of the trace; write_failed of
// $TMPDIR; with --index those of its folder.
Asked<ReadyIndex> ready_index(const Input& input);

}  // namespace polytrace::service
