// SPDX-License-Identifier: Apache-2.0
#include "base/io/spill_sorter.hpp"

#include <span>

namespace polytrace::base {

void SpilledRun::refill(std::size_t count) {
  std::copy(bytes_.begin() + static_cast<std::ptrdiff_t>(at_),
            bytes_.begin() + static_cast<std::ptrdiff_t>(have_), bytes_.begin());
  have_ -= at_;
  at_ = 0;
  if (bytes_.size() < count) bytes_.resize(count);
  const auto more =
      static_cast<std::size_t>(std::min<std::uint64_t>(bytes_.size() - have_, end_ - next_));
  const std::span<std::byte> into = std::span(bytes_).subspan(have_, more);
  if (auto read = file_->read(next_, into); !read) {
    error_ = read.error();
    std::ranges::fill(into, std::byte{0});
  }
  have_ += more;
  next_ += more;
}

}  // namespace polytrace::base
