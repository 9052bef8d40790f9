// SPDX-License-Identifier: Apache-2.0
// What every agent tells of the program and of its recording before anything else.
// REQUIRES: a recorder that runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "agent/common/options/filters.hpp"
#include "agent/common/options/options.hpp"
#include "base/types.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::agent {

// What was passed to the program, arguments divided by spaces; secrets are not in it.
std::string command_line();

// Texts are not kept.
struct Introduction {
  std::string_view agent = "polytrace";
  std::string_view written{};  // the options as the user wrote them; secrets are not told
  std::string_view name{};     // of the program
  std::string_view command{};  // without secrets
  std::string_view runtime{};
  std::string_view runtime_version{};
  std::string_view architecture{};  // "": as the system says it
  // Settings beside those of the options, which stand before them.
  std::span<const std::pair<std::string, std::string>> own{};
};
// Process, Setting and FilterRule events, in this order.
void introduce(const Introduction& introduction, const Options& options, const Filters& filters);

void define_setting(std::string_view key, std::string_view value);
// FilterRule events, in their order.
void define_filters(const Filters& filters);

// Stacks that are deeper than what is recorded of them have as outermost frame one of a method
// "(truncated)", behind which more callers were. No other method has its number: theirs are
// smaller.
inline constexpr base::Id kTruncatedFrame = format::native::kMaxMethod + 1;
// Defines that method, once in a recording, and gives its number. Not in signal handlers.
base::Id truncated_frame();

}  // namespace polytrace::agent
