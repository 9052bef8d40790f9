// SPDX-License-Identifier: Apache-2.0
// The traces that the service is asked about here.
#pragma once

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "service/input/input.hpp"

namespace polytrace::service::test {

inline std::string example(std::string_view name = "everything.mlpd") {
  return std::string(POLYTRACE_TEST_DATA "/../../examples/").append(name);
}
inline std::string recording(std::string_view name) {
  return std::string(POLYTRACE_TEST_DATA "/").append(name);
}

inline nlohmann::json parsed(const std::string& text) { return nlohmann::json::parse(text); }

// What a front end lends whose user has asked to stop.
inline Asking stopped() {
  static const std::atomic<bool> stop{true};
  Asking asking;
  asking.stop = &stop;
  return asking;
}

}  // namespace polytrace::service::test
