// SPDX-License-Identifier: Apache-2.0
#include "collector/push/upload.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <fstream>
#include <memory>
#include <vector>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kHashedAtOnce = std::size_t{1} << 20;

struct FreeHash {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

}  // namespace

base::result<std::string> upload_id(const std::string& file, std::string_view query) {
  std::ifstream in(file, std::ios::binary);
  if (!in.is_open()) return base::system_fault(base::Code::open_failed);
  const std::unique_ptr<XXH3_state_t, FreeHash> state(XXH3_createState());
  XXH3_128bits_reset(state.get());
  std::vector<char> room(kHashedAtOnce);
  while (in) {
    in.read(room.data(), static_cast<std::streamsize>(room.size()));
    XXH3_128bits_update(state.get(), room.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) return base::system_fault(base::Code::read_failed);
  XXH3_128bits_update(state.get(), query.data(), query.size());
  const XXH128_hash_t sum = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", sum.high64, sum.low64);
}

}  // namespace polytrace::collector
