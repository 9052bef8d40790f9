// SPDX-License-Identifier: Apache-2.0
#include "agent/control/protocol/negotiation.hpp"

#include <array>

namespace polytrace::agent::control {
namespace {

struct Names {
  StreamFormat format;
  std::string_view option;
  std::string_view converter;
};
constexpr std::array<Names, 3> kNames = {{{StreamFormat::xml, "xml", "trcxml"},
                                          {StreamFormat::tbf, "binary", "tbf"},
                                          {StreamFormat::native, "native", "native"}}};

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool same(std::string_view word, std::string_view name) {
  if (word.size() != name.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (lower(word[i]) != name[i]) return false;
  }
  return true;
}

}  // namespace

StreamFormat negotiate(FormatOption option, ServerMode mode, Accepted client) {
  if (mode == ServerMode::standalone || option == FormatOption::xml) return option;
  if (option == FormatOption::tbf && client.tbf) return StreamFormat::tbf;
  return client.native ? StreamFormat::native : StreamFormat::xml;
}

std::string_view name_of(StreamFormat format) {
  return kNames[static_cast<std::size_t>(format)].option;
}

std::string_view converter_name(StreamFormat format) {
  return kNames[static_cast<std::size_t>(format)].converter;
}

bool format_named(std::string_view word, StreamFormat& format) {
  for (const Names& names : kNames) {
    if (!same(word, names.option)) continue;
    format = names.format;
    return true;
  }
  return false;
}

}  // namespace polytrace::agent::control
