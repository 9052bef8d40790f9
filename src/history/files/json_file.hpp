// SPDX-License-Identifier: Apache-2.0
// What the JSON files of a bundle have in common: how they come from and go to a disk, and what
// their first members are (docs/formats/state-history.md, "JSON files").
#pragma once

#include <string>
#include <string_view>

#include "base/limits.hpp"
#include "base/notices.hpp"

namespace polytrace::history {

// The major version of types.json, tree.json and state.json that is read, and the versions written.
inline constexpr int kJsonVersion = 1;
inline constexpr int kJsonMinor = 0;

// A whole file, unpacked where it is compressed. At most limits.merge_bytes: limit_exceeded
// beyond. Notices: why a compressed file ended early.
base::result<std::string> load_text(const std::string& path, base::Notices& notices,
                                    const base::Limits& limits = {});

// Appears under its name only when it is complete. An existing file is refused unless `replace`.
base::result<void> save_text(const std::string& path, std::string_view text, bool replace);

}  // namespace polytrace::history
