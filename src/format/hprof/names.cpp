// SPDX-License-Identifier: Apache-2.0
#include "format/hprof/names.hpp"

#include <algorithm>

namespace polytrace::format::hprof {
namespace {

std::string_view primitive(char letter) {
  switch (letter) {
    case 'Z': return "boolean";
    case 'B': return "byte";
    case 'C': return "char";
    case 'S': return "short";
    case 'I': return "int";
    case 'J': return "long";
    case 'F': return "float";
    case 'D': return "double";
    default: return {};
  }
}

}  // namespace

std::string class_name(std::string_view name) {
  const std::size_t dimensions = std::min(name.find_first_not_of('['), name.size());
  std::string_view element = name.substr(dimensions);
  if (dimensions != 0) {
    if (element.size() == 1 && !primitive(element[0]).empty()) element = primitive(element[0]);
    else if (element.starts_with('L') && element.ends_with(';'))
      element = element.substr(1, element.size() - 2);
    else return std::string(name);  // no name of an array
  }
  std::string out(element);
  std::ranges::replace(out, '/', '.');
  for (std::size_t i = 0; i < dimensions; ++i) out += "[]";
  return out;
}

}  // namespace polytrace::format::hprof
