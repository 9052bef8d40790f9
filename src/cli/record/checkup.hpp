// SPDX-License-Identifier: Apache-2.0
// What this machine has and lacks for recording.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace polytrace::cli {

enum class Health : std::uint8_t { good, missing, note };

struct Finding {
  std::string_view topic;  // "Java"
  Health health;
  std::string text;  // what is there, or what is not
  std::string hint;  // how to get it; may be empty
};

struct Checkup {
  std::vector<Finding> findings;
  bool can_record = false;  // at least one runtime, with its agent
};

Checkup check_machine();

std::string_view name_of(Health health);

}  // namespace polytrace::cli
