// SPDX-License-Identifier: Apache-2.0
// The numbers by which the tally counts what was decoded. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace polytrace::format::native {

enum class Tallied : std::uint8_t {
#define RECORD(number, identifier, name) identifier = number,
#include "format/native/read/records.def"
#undef RECORD
};
inline constexpr std::uint8_t kFirstBody = 64;

std::string record_name(std::uint8_t number);

}  // namespace polytrace::format::native
