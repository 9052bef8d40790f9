// SPDX-License-Identifier: Apache-2.0
#include "format/hprof/held_objects.hpp"

#include <array>
#include <cstring>

namespace polytrace::format::hprof {

base::result<void> HeldObjects::add(base::Bytes part, std::uint64_t offset) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  if (last_.size() >= kBlock) {
    if (auto done = file_.append(base::Bytes(last_)); !done) return done;
    blocks_.push_back(file_.size());
    last_.clear();
  }
  std::array<std::byte, sizeof offset> place{};
  std::memcpy(place.data(), &offset, sizeof offset);
  last_.append(place);
  last_.append(part);
  return {};
}

base::result<void> HeldObjects::take(base::RawArray<std::byte>& out) {
  if (taken_ == blocks_.size()) {
    out.append(base::Bytes(last_));
    last_.clear();
    blocks_.clear();
    taken_ = 0;
    return {};
  }
  const auto size = static_cast<std::size_t>(blocks_[taken_] - begin_);
  std::byte* const to = out.room(size);
  if (auto done = file_.read(begin_, {to, size}); !done) return done;
  out.grew_to(to + size);
  begin_ = blocks_[taken_++];
  return {};
}

}  // namespace polytrace::format::hprof
