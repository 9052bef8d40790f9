// SPDX-License-Identifier: Apache-2.0
// How a file is packed, by its first bytes.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::cli {

// "none", "gzip", "zstd"; "unknown" for a stream, whose first bytes are gone.
std::string_view compression_name(const std::string& path);

}  // namespace polytrace::cli
