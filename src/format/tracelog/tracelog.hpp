// SPDX-License-Identifier: Apache-2.0
// The text log of CoreCLR events that CoreProfiler writes. Normative description:
// docs/formats/tracelog.md.
#pragma once

#include <array>

#include "format/format.hpp"

namespace polytrace::format::tracelog {

extern const Format kFormat;

// By Dialect: the versions of the format.
inline constexpr std::array<std::string_view, 3> kDialects{"seed", "later", "early"};

}  // namespace polytrace::format::tracelog
