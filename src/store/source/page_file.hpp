// SPDX-License-Identifier: Apache-2.0
// Page 0 of an index that has a name, read and written again by itself. Any thread.
#pragma once

#include <string>

#include "store/file/cache_folder.hpp"

namespace polytrace::store {

// Errors: open_failed, read_failed, those of decode_page_head().
base::result<PageHead> read_head(const std::string& index_file);

// Writes to the index of this head at its place how its source looks now, so that nobody has to
// read all of that again. Nothing happens if it cannot be written, or is being made again.
void refresh(const IndexPlace& place, const PageHead& head, const SourceIdentity& now);

}  // namespace polytrace::store
