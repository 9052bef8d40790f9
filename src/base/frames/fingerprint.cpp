// SPDX-License-Identifier: Apache-2.0
#include "base/frames/fingerprint.hpp"

#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/codes.hpp"

namespace polytrace::base {
namespace {

struct HashDeleter {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

class PieceHash {
 public:
  explicit PieceHash(int fd) : fd_(fd), state_(XXH3_createState()) {
    XXH3_128bits_reset(state_.get());
  }
  void add(std::uint64_t number) { XXH3_128bits_update(state_.get(), &number, sizeof number); }
  result<void> add(std::uint64_t offset, std::uint64_t length) {
    room_.resize(length);
    for (std::uint64_t done = 0; done < length;) {
      const ssize_t got =
          pread(fd_, room_.data() + done, length - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return system_fault(Code::read_failed);
      if (got == 0) return fail(Code::read_failed, "shorter than it was");
      done += static_cast<std::uint64_t>(got);
    }
    XXH3_128bits_update(state_.get(), room_.data(), length);
    return {};
  }
  Fingerprint take() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
    Fingerprint bytes;
    static_assert(sizeof canonical == bytes.size());
    std::memcpy(bytes.data(), &canonical, bytes.size());
    return bytes;
  }

 private:
  int fd_;
  std::unique_ptr<XXH3_state_t, HashDeleter> state_;
  std::vector<std::byte> room_;
};

result<void> add_pieces(PieceHash& hash, std::uint64_t size) {
  if (size <= kFingerprintWhole) return hash.add(0, size);
  if (auto added = hash.add(0, kFingerprintEnds); !added) return added;
  const std::uint64_t between = size - 2 * kFingerprintEnds - kFingerprintPiece;
  for (std::uint64_t i = 0; i < kFingerprintPieces; ++i) {
    // Without a product that could overflow.
    const std::uint64_t step = between / (kFingerprintPieces - 1);
    if (auto added = hash.add(kFingerprintEnds + i * step, kFingerprintPiece); !added) return added;
  }
  return hash.add(size - kFingerprintEnds, kFingerprintEnds);
}

}  // namespace

result<Fingerprint> fingerprint(int descriptor, std::uint64_t size) {
  PieceHash hash(descriptor);
  hash.add(size);
  if (auto added = add_pieces(hash, size); !added) return tl::unexpected(added.error());
  return hash.take();
}

std::string to_hex(const Fingerprint& fingerprint) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const std::byte one : fingerprint) {
    hex += kDigits[std::to_integer<std::size_t>(one >> 4)];
    hex += kDigits[std::to_integer<std::size_t>(one & std::byte{15})];
  }
  return hex;
}

}  // namespace polytrace::base
