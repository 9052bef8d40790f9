// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/names/type_name.hpp"

#include <algorithm>
#include <charconv>

namespace polytrace::agent::coreclr {
namespace {

constexpr std::size_t kMostArguments = 64;  // of one type; metadata can say anything

std::string formal(std::string_view letters, std::size_t index) {
  if (index < letters.size()) return std::string(letters.substr(index, 1));
  return std::string(letters.substr(0, 1)) + std::to_string(index);
}

// Takes "`2" off the end of a name, gives 2; 0 where there is none.
std::size_t take_arity(std::string_view& name) {
  const std::size_t mark = name.rfind('`');
  if (mark == name.npos) return 0;
  const std::string_view digits = name.substr(mark + 1);
  std::size_t arity = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), arity);
  if (fault != std::errc{} || end != digits.data() + digits.size() || arity > kMostArguments)
    return 0;
  name = name.substr(0, mark);
  return arity;
}

void add_argument(std::string& out, const std::string& letter, const std::string* value) {
  out += letter;
  if (value == nullptr || value->empty()) return;
  out += '=';
  out += *value;
}

}  // namespace

std::string formal_of_type(std::size_t index) { return formal("TUVWXYZ", index); }
std::string formal_of_method(std::size_t index) { return formal("MNOPQRS", index); }

std::string type_name(std::string_view metadata, std::span<const std::string> arguments) {
  std::string out;
  std::size_t used = 0;
  while (!metadata.empty()) {
    const std::size_t end = std::min(metadata.find('/'), metadata.size());
    std::string_view level = metadata.substr(0, end);
    metadata.remove_prefix(std::min(end + 1, metadata.size()));
    const std::size_t arity = take_arity(level);
    if (!out.empty()) out += '.';
    out += level;
    for (std::size_t i = 0; i < arity; ++i, ++used) {
      out += i == 0 ? "<" : ", ";
      add_argument(out, formal_of_type(used), used < arguments.size() ? &arguments[used] : nullptr);
    }
    if (arity != 0) out += '>';
  }
  return out.empty() ? std::string(kUnknownName) : out;
}

std::string method_arguments(std::span<const std::string> arguments) {
  std::string out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    out += i == 0 ? "<" : ", ";
    add_argument(out, formal_of_method(i), &arguments[i]);
  }
  if (!out.empty()) out += '>';
  return out;
}

std::string array_suffix(std::size_t rank) {
  constexpr std::size_t kMostRank = 32;
  return '[' + std::string(std::clamp<std::size_t>(rank, 1, kMostRank) - 1, ',') + ']';
}

}  // namespace polytrace::agent::coreclr
