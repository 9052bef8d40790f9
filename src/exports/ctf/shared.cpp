// SPDX-License-Identifier: Apache-2.0
#include "exports/ctf/shared.hpp"

#include <cstring>
#include <queue>

#include "base/codes.hpp"
#include "exports/ctf/layout.hpp"

namespace polytrace::exports::ctf {

void SharedStream::set_length(std::string& framed, std::size_t start) {
  const auto length = static_cast<std::uint32_t>(framed.size() - start - kLength);
  std::memcpy(framed.data() + start, &length, kLength);
}

std::string_view SharedStream::Source::event() const {
  std::uint32_t length = 0;
  std::memcpy(&length, text.data() + at, kLength);
  return std::string_view(text).substr(at + kLength, length);
}

SharedStream::Source& SharedStream::source_of(std::uint32_t thread) {
  while (sources_.size() <= thread)
    sources_.push_back({static_cast<std::uint32_t>(sources_.size())});
  return sources_[thread];
}

base::result<void> SharedStream::add(std::uint32_t thread, std::string_view framed,
                                     const std::string& folder) {
  if (spool_ == nullptr) {
    const std::string path = folder + "/spool";
    spool_.reset(std::fopen(path.c_str(), "w+b"));
    std::remove(path.c_str());
  }
  if (spool_ == nullptr ||
      std::fwrite(framed.data(), 1, framed.size(), spool_.get()) != framed.size())
    return base::fail(base::Code::write_failed, folder);
  source_of(thread).pieces.push_back({size_, framed.size()});
  size_ += static_cast<std::int64_t>(framed.size());
  return {};
}

base::result<bool> SharedStream::load(Source& source) {
  if (source.at < source.text.size()) return true;
  if (source.next == source.pieces.size()) {
    source.text = {};
    return false;
  }
  const Piece piece = source.pieces[source.next++];
  source.at = 0;
  source.text.resize(piece.bytes);
  if (fseeko(spool_.get(), piece.at, SEEK_SET) != 0 ||
      std::fread(source.text.data(), 1, piece.bytes, spool_.get()) != piece.bytes)
    return base::fail(base::Code::write_failed, "the spool cannot be read");
  return true;
}

base::result<void> SharedStream::merge(const See& see) {
  if (empty()) return {};
  if (std::fflush(spool_.get()) != 0) return base::fail(base::Code::write_failed);
  using Next = std::pair<std::uint64_t, std::uint32_t>;  // time, thread
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  const auto wait = [&](Source& source) -> base::result<void> {
    const auto loaded = load(source);
    if (!loaded) return base::Unexpected(loaded.error());
    if (*loaded) queue.emplace(time_of(source.event()), source.thread);
    return {};
  };
  for (Source& source : sources_)
    if (auto waits = wait(source); !waits) return waits;
  while (!queue.empty()) {
    Source& source = sources_[queue.top().second];
    queue.pop();
    const std::string_view event = source.event();
    if (auto seen = see(source.thread, event); !seen) return seen;
    source.at += kLength + event.size();
    if (auto waits = wait(source); !waits) return waits;
  }
  return {};
}

}  // namespace polytrace::exports::ctf
