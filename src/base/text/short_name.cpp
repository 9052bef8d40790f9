// SPDX-License-Identifier: Apache-2.0
#include "base/text/short_name.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include "base/text/utf8.hpp"

namespace polytrace::base {
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
