// SPDX-License-Identifier: Apache-2.0
// Counts from a recording what the samples' .facts.json files count, from events and tallies alone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace polytrace::format::test {

// REQUIRES: the file opens as mlpd.
nlohmann::json count_facts(const std::string& path);

}  // namespace polytrace::format::test
