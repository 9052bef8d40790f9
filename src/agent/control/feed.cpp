// SPDX-License-Identifier: Apache-2.0
#include "agent/control/feed.hpp"

#include <algorithm>

namespace polytrace::agent::control {
namespace {

constexpr std::size_t kFeedPortion = 64U << 10;

}  // namespace

bool Feed::open(const std::string& program, std::string& why) {
  return format_ == StreamFormat::kNative || converter_.start(program, format_, why);
}

std::size_t Feed::take_native(std::span<std::uint8_t> into, bool& ended) {
  const StreamState state = handler_.stream();
  if (stream_ == 0) stream_ = state.id;
  if (stream_ == 0) return 0;
  if (state.id != stream_) {
    ended = true;  // another one has taken its place
    return 0;
  }
  const std::uint64_t there = state.length - std::min(offset_, state.length);
  const std::size_t room = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), there));
  const std::size_t got = room == 0 ? 0 : handler_.read_stream(offset_, into.first(room));
  offset_ += got;
  ended = state.ended && offset_ >= state.length;
  return got;
}

void Feed::feed_converter() {
  bool ended = false;
  for (;;) {
    if (pending_.empty()) {
      pending_.resize(kFeedPortion);
      pending_.resize(take_native(pending_, ended));
    }
    const std::size_t fed = pending_.empty() ? 0 : converter_.feed(pending_);
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(fed));
    if (!pending_.empty() || fed == 0) break;
  }
  if (ended && pending_.empty()) {
    finished_ = converter_.input() >= 0 || finished_;
    converter_.finish();
  }
  if (converter_.input() < 0) pending_.clear();  // it has died: nothing takes them any more
}

std::size_t Feed::take(std::span<std::uint8_t> into) {
  if (ended_ || into.empty()) return 0;
  if (format_ == StreamFormat::kNative) return take_native(into, ended_);
  feed_converter();
  return converter_.take(into, ended_);
}

bool Feed::has_data() const {
  if (ended_) return false;
  if (format_ != StreamFormat::kNative) return converter_.has_output();
  const StreamState state = handler_.stream();
  return state.id != 0 && (stream_ == 0 || state.id == stream_) && state.length > offset_;
}

}  // namespace polytrace::agent::control
