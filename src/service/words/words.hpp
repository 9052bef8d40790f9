// SPDX-License-Identifier: Apache-2.0
// Words people type, and mistype. Pure; thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polytrace::service {

// The words of "a,b,c".
std::vector<std::string_view> listed(std::string_view list);
// The choice that is most alike, or empty when none is near.
std::string nearest(std::string_view word, std::span<const std::string> choices);
// "; did you mean "cat"?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> choices);

}  // namespace polytrace::service
