// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/gather/gathered.hpp"

namespace polytrace::analysis {
namespace {

constexpr std::size_t kLongest = 64;  // a packed happening, at most

// Which fields follow: those that are 0 do not, threads and indexes count from kNothing = 0.
enum Told : unsigned { kThread = 1, kIndex = 2, kA = 4, kB = 8, kDetail = 16 };

// Only what pack() wrote is read here, or zeros.
std::uint64_t take_number(const std::byte*& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<std::uint64_t>(*at++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

}  // namespace

void HappeningPacking::pack(base::Appender& out, const Happening& h, const Happening& before) {
  const std::uint32_t thread = h.thread + 1;
  const std::uint32_t index = h.index + 1;
  unsigned told = 0;
  if (h.thread != before.thread) told |= kThread;
  if (index != 0) told |= kIndex;
  if (h.a != 0) told |= kA;
  if (h.b != 0) told |= kB;
  if (h.detail != 0) told |= kDetail;
  out.byte(static_cast<std::uint8_t>(h.what));
  out.byte(static_cast<std::uint8_t>(told));
  out.uleb(static_cast<std::uint64_t>(h.time) - static_cast<std::uint64_t>(before.time));
  if ((told & kThread) != 0) out.uleb(thread);
  if ((told & kIndex) != 0) out.uleb(index);
  if ((told & kA) != 0) out.uleb(h.a);
  if ((told & kB) != 0) out.uleb(h.b);
  if ((told & kDetail) != 0) out.byte(h.detail);
}

void HappeningPacking::unpack(base::SpilledRun& in, Happening& h) {
  const std::byte* at = in.want(kLongest);
  h.what = static_cast<What>(*at++);
  const auto told = static_cast<unsigned>(*at++);
  h.time = static_cast<base::Time>(static_cast<std::uint64_t>(h.time) + take_number(at));
  if ((told & kThread) != 0) h.thread = static_cast<std::uint32_t>(take_number(at)) - 1;
  h.index = (told & kIndex) != 0 ? static_cast<std::uint32_t>(take_number(at)) - 1 : kNothing;
  h.a = (told & kA) != 0 ? take_number(at) : 0;
  h.b = (told & kB) != 0 ? take_number(at) : 0;
  h.detail = (told & kDetail) != 0 ? static_cast<std::uint8_t>(*at++) : 0;
  in.take_to(at);
}

}  // namespace polytrace::analysis
