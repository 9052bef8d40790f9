// SPDX-License-Identifier: Apache-2.0
// What is done to whole history files: finishing an interrupted one, changing the layout.
#pragma once

#include <string>

#include "base/notices.hpp"
#include "base/result.hpp"
#include "history/model/facts.hpp"

namespace polytrace::history {

// Completes the file of an interrupted build in place: drops what lies behind the last whole frame,
// appends the index, corrects the header. The notices say what was lost; none when there was
// nothing to do. Errors: as History::open, write_failed; checksum_wrong when a file that has its
// index is damaged inside: that stays as it is.
base::result<base::Notices> repair(const std::string& path);

// Writes the history at `from` in `layout` to `to`: the same keys, types, intervals and id. The
// notices are those of reading it. Errors: as History::open and Builder.
base::result<base::Notices> convert(const std::string& from, const std::string& to, Layout layout,
                                    bool replace = false);

}  // namespace polytrace::history
