// SPDX-License-Identifier: Apache-2.0
// Counts from a log what the samples' .facts.json files count, from events, tallies and notices.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace polytrace::format::test {

// REQUIRES: the file opens as tracelog.
nlohmann::json count_tracelog_facts(const std::string& path);

}  // namespace polytrace::format::test
