// SPDX-License-Identifier: Apache-2.0
// Names that are the same in every run. Runtimes make classes as they go and number them
// ("Shop$$Lambda$14/0x0000000800c0a400", "$Proxy12"): told as they are, the same code would have
// new names in each process, without end. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::collector {

// "Shop$$Lambda", "$Proxy". At most kLongestName bytes of UTF-8.
inline constexpr std::size_t kLongestName = 1024;
std::string stable_name(std::string_view name);

}  // namespace polytrace::collector
