// SPDX-License-Identifier: Apache-2.0
// Small text files that options name.
#pragma once

#include <cstddef>
#include <string>

namespace polytrace::agent {

// The whole of a regular file of at most `most` bytes. Gives "", or what is wrong with it.
std::string read_text_file(const std::string& path, std::size_t most, std::string& text);

}  // namespace polytrace::agent
