// SPDX-License-Identifier: Apache-2.0
#include "base/frames/dictionary.hpp"

#include <algorithm>
#include <cstring>

namespace polytrace::base {

std::uint64_t Dictionary::known_or_new(std::string_view text) {
  const std::size_t hash = SeededHash{}(text);
  if (const auto known = ids_.find(text, hash); known != ids_.end()) return known->second;
  const std::uint64_t id = count();
  const std::string_view kept = keep(text);
  ids_.emplace(kept, id);
  texts_.push_back(kept);
  constexpr std::size_t kPerText = 64;  // in the table and the list, about
  bytes_ += text.size() + kPerText;
  return id;
}

std::string_view Dictionary::keep(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > free_size_) {
    const std::size_t size = std::max(kChunk, text.size());
    free_ = chunks_.emplace_back(std::make_unique_for_overwrite<char[]>(size)).get();
    free_size_ = size;
  }
  char* const at = free_;
  std::memcpy(at, text.data(), text.size());
  free_ += text.size();
  free_size_ -= text.size();
  return {at, text.size()};
}

void Dictionary::start_epoch() {
  first_ = count();
  ids_.clear();
  texts_.clear();
  chunks_.clear();
  free_size_ = 0;
  bytes_ = 0;
}

std::uint64_t Dictionary::next_frame_end() const {
  std::uint64_t end = written_;
  for (std::size_t bytes = 0; end < count() && bytes < kFrameBytes; ++end)
    bytes += text(end).size() + 1;
  return end;
}

}  // namespace polytrace::base
