// SPDX-License-Identifier: Apache-2.0
#include "event/choice/method_names.hpp"

#include <algorithm>

#include "base/text/java_type.hpp"

namespace polytrace::event {
namespace {

// The first type of `rest`, which loses it; false if there is none.
bool take_type(std::string_view& rest, std::string& out) {
  const std::size_t dimensions = std::min(rest.find_first_not_of('['), rest.size());
  rest.remove_prefix(dimensions);
  if (rest.empty()) return false;
  if (rest.front() == 'L') {
    const std::size_t end = rest.find(';');
    if (end == rest.npos) return false;
    const std::size_t begin = out.size();
    out += rest.substr(1, end - 1);
    std::ranges::replace(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), '/', '.');
    rest.remove_prefix(end + 1);
  } else {
    const std::string_view name = base::primitive_type(rest.front());
    if (name.empty()) return false;
    out += name;
    rest.remove_prefix(1);
  }
  for (std::size_t i = 0; i < dimensions; ++i) out += "[]";
  return true;
}

// Empty if it is none: those have a type behind the parameters.
std::string of_descriptor(std::string_view signature) {
  const std::size_t end = signature.find(')');
  if (end == signature.npos || end + 1 == signature.size()) return {};
  std::string out = "(";
  for (std::string_view rest = signature.substr(1, end - 1); !rest.empty();) {
    if (out.size() > 1) out += ',';
    if (!take_type(rest, out)) return {};
  }
  return out += ')';
}

}  // namespace

std::string parameters_of(std::string_view signature) {
  if (!signature.starts_with('(')) return {};
  std::string out = of_descriptor(signature);
  if (out.empty() && signature.ends_with(')')) out = signature;
  return out;
}

std::string whole_method_name(std::string_view of_class, std::string_view name,
                              std::string_view signature) {
  std::string whole;
  if (!of_class.empty() && is_bare_method_name(name)) whole.append(of_class).append(1, '.');
  whole += name;
  if (name.find('(') != name.npos) return whole;
  const std::string parameters = parameters_of(signature);
  if (!parameters.empty()) whole.append(1, ' ').append(parameters);
  return whole;
}

}  // namespace polytrace::event
