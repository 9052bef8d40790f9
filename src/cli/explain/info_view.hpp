// SPDX-License-Identifier: Apache-2.0
// How the answer of `info` looks.
#pragma once

#include <string>

#include "service/input/input.hpp"
#include "service/input/overview.hpp"
#include "cli/show/cell_text.hpp"

namespace polytrace::cli {

struct InfoResult {
  const Input& input;
  const format::Opened& opened;
  const Passed& passed;
  Overview overview;
  std::uint64_t thread_limit;  // rows in text, 0 = all
};

void append_info_text(std::string& out, const InfoResult& result, const Look& look);
void append_info_json(std::string& out, const InfoResult& result);

}  // namespace polytrace::cli
