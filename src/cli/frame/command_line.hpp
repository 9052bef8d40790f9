// SPDX-License-Identifier: Apache-2.0
// Commands: where they are, and how users are told to type them, to be pasted into a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace polytrace::cli {

// The folders of a list such as PATH.
std::vector<std::string> folders_of(std::string_view list);
// The path of a command in PATH; "" where there is none.
std::string find_in_path(std::string_view name);
// This program itself.
std::string own_path();

// This program, as this user can call it.
std::string own_command();
// As a shell reads it.
std::string shell_quoted(const std::string& word);
// A file: a name that stands for an option or standard input is told as a path.
std::string as_operand(const std::string& file);

}  // namespace polytrace::cli
