// SPDX-License-Identifier: Apache-2.0
#include "base/short_name.hpp"

#include <fmt/format.h>
#include <xxhash.h>

namespace polytrace::base {
namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

std::string short_name(std::string name, std::size_t most) {
  if (name.size() <= most) return name;
  const std::string mark = fmt::format("...#{:016x}...", XXH3_64bits(name.data(), name.size()));
  // At most three bytes are to be skipped, also in what is no text.
  std::size_t head = (most - mark.size()) / 4;
  for (int i = 0; i < 3 && continues_character(name[head]); ++i) --head;
  std::size_t tail = name.size() - (most - mark.size() - head);
  for (int i = 0; i < 3 && continues_character(name[tail]); ++i) ++tail;
  return name.substr(0, head) + mark + name.substr(tail);
}

}  // namespace polytrace::base
