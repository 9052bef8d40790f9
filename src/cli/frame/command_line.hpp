// SPDX-License-Identifier: Apache-2.0
// Commands that users are told to type: how they are written, to be pasted into a shell.
#pragma once

#include <string>

namespace polytrace::cli {

// This program, as this user can call it.
std::string own_command();
// As a shell reads it.
std::string shell_quoted(const std::string& word);
// A file: a name that stands for an option or standard input is told as a path.
std::string as_operand(const std::string& file);

}  // namespace polytrace::cli
