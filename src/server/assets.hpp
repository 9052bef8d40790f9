// SPDX-License-Identifier: Apache-2.0
// The files of the page: built in, or from a folder while they are worked on. They hold no data.
#pragma once

#include <string>

#include "server/http/faults.hpp"

namespace polytrace::server {

// Of the page's sources; empty where none is built in.
std::string_view page_hash();
Reply built_in_file(const Request& request);
// Only the files that a page has, whatever the folder holds.
Reply file_from(const std::string& folder, const Request& request);

}  // namespace polytrace::server
