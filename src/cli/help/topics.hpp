// SPDX-License-Identifier: Apache-2.0
// Help that belongs to no single command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace polytrace::cli {

struct Topic {
  std::string_view name;
  std::string_view purpose;
  std::string (*text)();
};
const std::vector<Topic>& topics();

}  // namespace polytrace::cli
