// SPDX-License-Identifier: Apache-2.0
#include "support/mutate.hpp"

#include <algorithm>
#include <random>

namespace polytrace::test {
namespace {

void overwrite(std::vector<std::byte>& bytes, std::size_t count, std::mt19937_64& engine) {
  for (std::size_t i = 0; i < count; ++i)
    bytes[engine() % bytes.size()] = static_cast<std::byte>(engine());
}

// Ten bytes: the longest legal number, or one that never ends.
void put_number(std::vector<std::byte>& bytes, std::mt19937_64& engine) {
  const std::size_t at = engine() % bytes.size();
  const std::size_t end = std::min(bytes.size(), at + 10);
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(at),
            bytes.begin() + static_cast<std::ptrdiff_t>(end), std::byte{0xff});
  if (engine() % 2 == 0) bytes[end - 1] = std::byte{0x01};
}

}  // namespace

std::vector<std::byte> mutate(std::vector<std::byte> bytes, std::mt19937_64& engine) {
  if (bytes.empty()) return bytes;
  switch (engine() % 4) {
    case 0: overwrite(bytes, bytes.size() / 50 + 1, engine); break;
    case 1: overwrite(bytes, 1 + engine() % 8, engine); break;
    case 2: put_number(bytes, engine); break;
    default: bytes.resize(engine() % bytes.size());
  }
  return bytes;
}

}  // namespace polytrace::test
