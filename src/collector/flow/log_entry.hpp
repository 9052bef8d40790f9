// SPDX-License-Identifier: Apache-2.0
// What the collector tells of itself, a line each: for a log. Given by any thread, one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace polytrace::collector {

enum class Weight : std::uint8_t { detail, news, warning };

struct LogEntry {
  Weight weight = Weight::news;
  std::string what;   // "connected", "refused", "store": one of few words
  std::string who{};  // the program, "java 4711"; empty: none
  std::uint64_t stream = 0;
  std::string text{};  // in plain words
};

using Tell = std::function<void(const LogEntry&)>;

}  // namespace polytrace::collector
