// SPDX-License-Identifier: Apache-2.0
// Every fault that polytrace can name, and what is known of each: codes.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"

namespace polytrace::base {

enum class Code : std::uint16_t {
#define CODE(identifier, name, exit, sentence, next) identifier,
#include "base/codes.def"
#undef CODE
};

struct CodeInfo {
  Code code;
  std::string_view name;      // stable, for scripts and case files
  int exit;                   // exit code of the command if this is the worst fault
  std::string_view sentence;  // follows a place: "offset 0x2f: ..."
  std::string_view next;      // what the user can do
};

const CodeInfo& describe(Code code);
// Null when no code has that stable name.
const CodeInfo* find_code(std::string_view name);
// All codes in table order.
std::size_t code_count();

}  // namespace polytrace::base
