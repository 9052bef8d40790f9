// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/facts/names.hpp"

#include <algorithm>

#include "base/text/java_type.hpp"

namespace polytrace::agent::jvm {

namespace {

// Hidden classes are named after one of the source, with an address behind it, and in JDK 17 with a
// number before that: "Main$$Lambda$14.0x00000008000c0a00". Neither is the same in another run, nor
// with other threads: without them, those of one class have one name.
std::string_view without_address(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::string_view kLambda = "$$Lambda";
  const std::size_t address = name.find_last_not_of(kDigits);
  if (address == name.npos || address < 2 || name[address] != 'x' || name[address - 1] != '0')
    return name;
  const std::size_t mark = address - 2;  // "/" in the VM's own names, "." in those of its tools
  if (mark == 0 || (name[mark] != '.' && name[mark] != '/')) return name;
  name = name.substr(0, mark);
  const std::size_t lambda = name.rfind(kLambda);
  return lambda == name.npos ? name : name.substr(0, lambda + kLambda.size());
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
    text = dotted(without_address(element.substr(1, element.size() - 2)));
  else if (dimensions > 0 && element.size() == 1) text = base::primitive_type(element[0]);
  else text = dotted(element);
  for (std::size_t i = 0; i < dimensions; ++i) text += "[]";
  return text;
}

}  // namespace polytrace::agent::jvm
