// SPDX-License-Identifier: Apache-2.0
// Reads a history tree file of Trace Compass, version 11
// (docs/formats/state-history-interchange.md, "History tree"). One pass over a stream, so a packed
// file or a pipe will do; memory: one node, and the attribute tree. One thread at a time.
#pragma once

#include <functional>
#include <span>

#include "base/io/source.hpp"
#include "base/notices.hpp"
#include "history/files/types_file.hpp"
#include "history/model/tree.hpp"

namespace polytrace::history {

struct HtHeader {
  std::int32_t provider_version = 0;
  std::int32_t block_size = 0;  // bytes of a node
  std::int32_t most_children = 0;
  std::int32_t nodes = 0;
  std::int32_t root = 0;  // number of the root node
  Tick start = 0;
};

// What the file says apart from its intervals.
struct HtFile {
  HtHeader header{};
  Tree tree{};  // the key of an attribute is one more than its number in the file
  // Of every key that has an interval: the type that all its values have, any when they differ,
  // open when all are null.
  TypesFile types{};
  Tick end = 0;  // the latest end of an interval; header.start when there is none
  std::uint64_t intervals = 0;
};

// Gets the intervals of one node at a time, as the file has them: sorted by end, then start, then
// key within a node, and in no order from node to node, not even those of one key
// (interval_sorter.hpp sorts). Keys are raised by one already, int and long are integers, custom
// values bytes. Texts are valid during the call. An error it returns ends the reading.
using HtIntervals = std::function<base::result<void>(std::span<const Interval>)>;

// Whether a stream begins as such a file does, of whatever version. 4 bytes are enough.
bool is_ht(base::Bytes head);

// Errors: not_recognised, version_unsupported, header_truncated, header_invalid, those of `source`
// and of `each`. Notices: what was skipped of a damaged node or tree, with offsets.
base::result<HtFile> read_ht(base::Source& source, const HtIntervals& each, base::Notices& notices,
                             const base::Limits& limits = {});

}  // namespace polytrace::history
