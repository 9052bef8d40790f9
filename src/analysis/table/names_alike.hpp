// SPDX-License-Identifier: Apache-2.0
// One spelling for the names of several recorders and runtimes, to compare traces by name. A small
// rule (docs/analyses.md), not a proof: overloads become one, and so may a class and its namesake.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace polytrace::analysis {

enum class NameKind : std::uint8_t { method, type, plain };

// "com.acme.Shop.main", "Acme.Shop:Main (string[])" and "Acme.Shop::Main" are all "acme.shop.main".
// Plain names stay as they are.
std::string alike(std::string_view name, NameKind kind);

}  // namespace polytrace::analysis
