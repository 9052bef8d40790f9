// SPDX-License-Identifier: Apache-2.0
// The two ways to write down the family's messages.
#pragma once

#include <cstdint>

namespace polytrace::format::tptp {

enum class Spelling : std::uint8_t { tbf, xml };

}  // namespace polytrace::format::tptp
