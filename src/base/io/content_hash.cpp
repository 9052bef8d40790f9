// SPDX-License-Identifier: Apache-2.0
#include "base/io/content_hash.hpp"

#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/codes.hpp"

namespace polytrace::base {

void ContentHash::Delete::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

ContentHash::ContentHash() : state_(XXH3_createState()) { XXH3_128bits_reset(state_.get()); }
ContentHash::ContentHash(ContentHash&& other) noexcept = default;
ContentHash& ContentHash::operator=(ContentHash&& other) noexcept = default;
ContentHash::~ContentHash() = default;

void ContentHash::add(Bytes bytes) {
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  size_ += bytes.size();
}

result<void> ContentHash::add_file(int descriptor, std::uint64_t offset, std::uint64_t length,
                                   const std::atomic<bool>* stop) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  std::vector<std::byte> room(std::min(length, kPiece));
  for (std::uint64_t done = 0; done < length;) {
    if (stop != nullptr && *stop) return fail(Code::limit_exceeded, "stopped");
    const ssize_t got = pread(descriptor, room.data(), std::min(length - done, kPiece),
                              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_fault(Code::read_failed);
    if (got == 0) return fail(Code::read_failed, "shorter than it was");
    add(Bytes(room).first(static_cast<std::size_t>(got)));
    done += static_cast<std::uint64_t>(got);
  }
  return {};
}

Digest ContentHash::digest() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
  Digest bytes;
  static_assert(sizeof canonical == bytes.size());
  std::memcpy(bytes.data(), &canonical, bytes.size());
  return bytes;
}

}  // namespace polytrace::base
