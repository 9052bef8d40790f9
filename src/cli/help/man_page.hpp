// SPDX-License-Identifier: Apache-2.0
// Manual pages (man(7)) of the program and its commands. Pure; thread-safe.
#pragma once

#include <string>

#include "cli/frame/command.hpp"

namespace polytrace::cli {

std::string program_page(const Catalogue& catalogue);
std::string command_page(const Entry& entry);

}  // namespace polytrace::cli
