// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/names.hpp"

#include <algorithm>

namespace polytrace::agent::jvm {

namespace {

std::string_view primitive_of(char type) {
  switch (type) {
    case 'Z': return "boolean";
    case 'B': return "byte";
    case 'C': return "char";
    case 'S': return "short";
    case 'I': return "int";
    case 'J': return "long";
    case 'F': return "float";
    case 'D': return "double";
    default: return "void";
  }
}

}  // namespace

std::string dotted(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '/', '.');
  return text;
}

std::string class_name(std::string_view name) {
  const std::size_t dimensions = std::min(name.find_first_not_of('['), name.size());
  std::string_view element = name.substr(dimensions);
  std::string text;
  if (element.size() > 2 && element.front() == 'L' && element.back() == ';')
    text = dotted(element.substr(1, element.size() - 2));
  else if (dimensions > 0 && element.size() == 1) text = primitive_of(element[0]);
  else text = dotted(element);
  for (std::size_t i = 0; i < dimensions; ++i) text += "[]";
  return text;
}

}  // namespace polytrace::agent::jvm
