// SPDX-License-Identifier: Apache-2.0
// What the user's environment says. The text is the environment's own: good while nobody changes
// it.
#pragma once

#include <cstdlib>
#include <string_view>

namespace polytrace::service {

// Empty where it is not set.
inline std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace polytrace::service
