// SPDX-License-Identifier: Apache-2.0
// What a spool's files hold of one stream, for who only looks: another process may be writing them.
// Any thread.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::collector {

struct Looked {
  std::map<std::uint64_t, std::vector<std::byte>> blocks{};  // that are whole, by index
  // Of the stream, as far as files were looked at.
  std::optional<std::uint64_t> last_before{};  // the greatest index before those asked for
  std::optional<std::uint64_t> first_behind{};
};

// Blocks `first` to `last` of the stream, of the spool's files in that folder and of those that are
// pinned in the other one, which need not be there. What is damaged is left out. Errors:
// open_failed (no such folder), read_failed; limit_exceeded where they have more than `most_bytes`.
base::result<Looked> look_into_spool(const std::filesystem::path& folder,
                                     const std::filesystem::path& pinned, std::uint64_t stream,
                                     std::uint64_t first, std::uint64_t last,
                                     std::uint64_t most_bytes);

}  // namespace polytrace::collector
