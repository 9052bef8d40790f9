// SPDX-License-Identifier: Apache-2.0
// One node of a history tree file (docs/formats/state-history-interchange.md, "Nodes"). Inside the
// room only.
#pragma once

#include <vector>

#include "base/notices.hpp"
#include "base/types.hpp"
#include "history/model/texts.hpp"
#include "history/model/value.hpp"

namespace polytrace::history {

// Appends the node's intervals; their texts are views of `block`, or kept in `texts` where they
// had to be repaired. What lies behind damage is skipped with a notice. `offset` is that of the
// block in the stream.
void read_ht_node(base::Bytes block, std::uint64_t offset, std::int32_t most_children,
                  std::vector<Interval>& into, Texts& texts, base::Notices& notices);

}  // namespace polytrace::history
