// SPDX-License-Identifier: Apache-2.0
// XXH3-128 of bytes that come in pieces, and of files.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/result.hpp"
#include "base/types.hpp"

struct XXH3_state_s;

namespace polytrace::base {

using Digest = std::array<std::byte, 16>;  // most significant byte first

// One thread at a time.
class ContentHash {
 public:
  ContentHash();
  ContentHash(ContentHash&& other) noexcept;
  ContentHash& operator=(ContentHash&& other) noexcept;
  ~ContentHash();

  void add(Bytes bytes);
  // Adds the bytes from `offset` on of an open file, which may be of any size. Errors: read_failed,
  // also if the file ends sooner; limit_exceeded once *stop is true. `stop` may be null.
  result<void> add_file(int descriptor, std::uint64_t offset, std::uint64_t length,
                        const std::atomic<bool>* stop = nullptr);

  std::uint64_t size() const { return size_; }  // bytes that were added
  Digest digest() const;

 private:
  struct Delete {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Delete> state_;
  std::uint64_t size_ = 0;
};

}  // namespace polytrace::base
