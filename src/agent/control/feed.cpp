// SPDX-License-Identifier: Apache-2.0
#include "agent/control/feed.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "agent/common/tools/child.hpp"

namespace polytrace::agent::control {
namespace {

constexpr std::size_t kFeedPortion = 64U << 10;

// Both ends of a socket; ours does not block. Sockets rather than pipes: a write to a child that
// died must not raise SIGPIPE in somebody else's program.
struct Pair {
  Descriptor ours, theirs;
};

bool make_pair(Pair& pair) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  pair.ours = Descriptor(ends[0]);
  pair.theirs = Descriptor(ends[1]);
  return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

}  // namespace

Converter::~Converter() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

base::result<void> Converter::start(const std::string& program, StreamFormat format) {
  Pair in, out;
  int error = ENOENT;
  const std::string words[] = {
      program, "convert", "-", "--to", std::string(converter_name(format)), "-o", "-", "--quiet"};
  if (!program.empty() && make_pair(in) && make_pair(out))
    error = start_child(words, {in.theirs.get(), out.theirs.get()}, process_);
  if (error != 0) {
    process_ = -1;
    return refusal(program + ": cannot be run: " + std::strerror(error));
  }
  input_ = std::move(in.ours);
  output_ = std::move(out.ours);
  return {};
}

std::size_t Converter::feed(std::span<const std::uint8_t> bytes) {
  if (!input_) return 0;
  const ssize_t sent = send(input_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) input_.close();
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

std::size_t Converter::take(std::span<std::uint8_t> into, bool& ended) {
  const ssize_t got = output_ ? recv(output_.get(), into.data(), into.size(), 0) : 0;
  ended = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  if (ended) output_.close();
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

bool Converter::has_output() const {
  int waiting = 0;
  return output_ && ioctl(output_.get(), FIONREAD, &waiting) == 0 && waiting > 0;
}

base::result<void> Feed::open(const std::string& program) {
  if (format_ == StreamFormat::native) return {};
  return converter_.start(program, format_);
}

std::size_t Feed::take_native(std::span<std::uint8_t> into, bool& ended) {
  const StreamState state = handler_.stream();
  if (stream_ == 0) stream_ = state.id;
  if (stream_ == 0) return 0;
  if (state.id != stream_) {
    ended = true;  // another one has taken its place
    return 0;
  }
  offset_ = handler_.next_kept(offset_);
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
  if (format_ == StreamFormat::native) return take_native(into, ended_);
  feed_converter();
  return converter_.take(into, ended_);
}

bool Feed::has_data() const {
  if (ended_) return false;
  if (format_ != StreamFormat::native) return converter_.has_output();
  const StreamState state = handler_.stream();
  return state.id != 0 && (stream_ == 0 || state.id == stream_) && state.length > offset_;
}

}  // namespace polytrace::agent::control
