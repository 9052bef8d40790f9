// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace polytrace::agent::coreclr {

// The name of a type that is one byte of a signature; "" of all others.
std::string_view element_name(std::uint32_t element);

}  // namespace polytrace::agent::coreclr
