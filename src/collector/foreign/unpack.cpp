// SPDX-License-Identifier: Apache-2.0
#include "collector/foreign/unpack.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/io/source.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kStep = std::size_t{1} << 20;

}  // namespace

base::result<std::vector<std::byte>> unpacked(base::Bytes packed, std::size_t most) {
  auto source = base::unwrap(base::memory_source({packed.begin(), packed.end()}));
  if (!source) return base::Unexpected(source.error());
  std::vector<std::byte> out;
  const std::size_t step = std::min(kStep, 4'096 + 8 * packed.size());
  for (;;) {
    const std::size_t size = out.size();
    out.resize(size + step);
    const auto got = base::read_fully(**source, std::span(out).subspan(size));
    if (!got) return base::Unexpected(got.error());
    out.resize(size + *got);
    if (out.size() > most)
      return base::fail(base::Code::limit_exceeded, fmt::format("more than {} bytes", most));
    if (out.size() > kStep && out.size() / kMostRatio > packed.size())
      return base::fail(
          base::Code::limit_exceeded,
          fmt::format("{} bytes unpack to more than {} times as many", packed.size(), kMostRatio));
    if (*got < step) break;
  }
  if (const auto fault = (*source)->end_fault()) return base::Unexpected(*fault);
  return out;
}

}  // namespace polytrace::collector
