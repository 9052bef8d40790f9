// SPDX-License-Identifier: Apache-2.0
// The letters of Java's primitive types, as class files and heap dumps have them. Pure;
// thread-safe.
#pragma once

#include <string_view>

namespace polytrace::base {

// As the source has it: "int" of 'I'. Empty where the letter is none of a primitive type.
constexpr std::string_view primitive_type(char letter) {
  switch (letter) {
    case 'B': return "byte";
    case 'C': return "char";
    case 'D': return "double";
    case 'F': return "float";
    case 'I': return "int";
    case 'J': return "long";
    case 'S': return "short";
    case 'Z': return "boolean";
    default: return {};
  }
}

}  // namespace polytrace::base
