// SPDX-License-Identifier: Apache-2.0
#include "base/io/source.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/codes.hpp"
#include "base/io/compressed_source.hpp"
#include "base/io/content_hash.hpp"
#include "base/io/live_source.hpp"

namespace polytrace::base {
namespace {

class FileSource final : public Source {
 public:
  // `path` is empty for standard input.
  FileSource(int fd, std::string path, const SourceOptions& options,
             const std::atomic<bool>* stop_waiting)
      : fd_(fd),
        path_(std::move(path)),
        stop_(options.stop_following),
        stop_waiting_(stop_waiting),
        content_(options.content) {
    struct stat status{};
    is_regular_ = fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
    // Of one that grows nobody knows how large it will be.
    if (is_regular_ && stop_ == nullptr) size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~FileSource() override {
    if (!path_.empty()) close(fd_);
  }

  result<std::size_t> read(std::span<std::byte> into) override {
    for (;;) {
      if (!wait_for_pipe()) return std::size_t{0};
      const ssize_t got = ::read(fd_, into.data(), into.size());
      if (got > 0) {
        position_ += static_cast<std::uint64_t>(got);
        if (content_ != nullptr) content_->add(into.first(static_cast<std::size_t>(got)));
        return static_cast<std::size_t>(got);
      }
      if (got == 0 && !wait_for_more()) return std::size_t{0};
      if (got < 0 && errno != EINTR) return system_fault(Code::read_failed);
    }
  }
  std::optional<std::uint64_t> stored_size() const override { return size_; }
  std::uint64_t stored_position() const override { return position_; }
  std::string path() const override { return is_regular_ ? path_ : std::string(); }

 private:
  bool wait_for_more() const {
    if (stop_ == nullptr || stop_->load()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return true;
  }
  // False: nobody wants what may come.
  bool wait_for_pipe() const {
    constexpr int kMilliseconds = 50;
    if (stop_waiting_ == nullptr || size_) return true;
    pollfd asked{.fd = fd_, .events = POLLIN, .revents = 0};
    while (!stop_waiting_->load()) {
      const int ready = poll(&asked, 1, kMilliseconds);
      if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    }
    return false;
  }

  int fd_;
  std::string path_;
  const std::atomic<bool>* stop_;
  const std::atomic<bool>* stop_waiting_;
  ContentHash* content_;
  bool is_regular_ = false;
  std::optional<std::uint64_t> size_;
  std::uint64_t position_ = 0;
};

class MemorySource final : public Source {
 public:
  MemorySource(std::vector<std::byte> bytes, std::size_t step)
      : bytes_(std::move(bytes)), step_(step == 0 ? bytes_.size() : step) {}

  result<std::size_t> read(std::span<std::byte> into) override {
    const std::size_t count = std::min({into.size(), bytes_.size() - at_, step_});
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), count, into.begin());
    at_ += count;
    return count;
  }
  std::optional<std::uint64_t> stored_size() const override { return bytes_.size(); }
  std::uint64_t stored_position() const override { return at_; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t step_;
  std::size_t at_ = 0;
};

class PrependSource final : public Source {
 public:
  PrependSource(std::vector<std::byte> head, std::unique_ptr<Source> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  result<std::size_t> read(std::span<std::byte> into) override {
    if (at_ == head_.size()) return rest_->read(into);
    const std::size_t count = std::min(into.size(), head_.size() - at_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(at_), count, into.begin());
    at_ += count;
    return count;
  }
  std::optional<Error> end_fault() const override { return rest_->end_fault(); }
  std::optional<std::uint64_t> stored_size() const override { return rest_->stored_size(); }
  std::uint64_t stored_position() const override { return rest_->stored_position(); }
  std::string path() const override { return rest_->path(); }

 private:
  std::vector<std::byte> head_;
  std::unique_ptr<Source> rest_;
  std::size_t at_ = 0;
};

// Opening a pipe that nobody writes to would wait, and could not be stopped.
int open_path(const std::string& path, bool can_stop) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | (can_stop ? O_NONBLOCK : 0));
  if (fd >= 0 && can_stop) fcntl(fd, F_SETFL, 0);
  return fd;
}

}  // namespace

result<std::size_t> append_from(Source& source, RawArray<std::byte>& to, std::size_t room) {
  std::byte* const at = to.room(room);
  const auto got = source.read({at, room});
  if (got) to.grew_to(at + *got);
  return got;
}

result<std::size_t> read_fully(Source& source, std::span<std::byte> into) {
  std::size_t have = 0;
  while (have < into.size()) {
    const auto got = source.read(into.subspan(have));
    if (!got) return got;
    if (*got == 0) break;
    have += *got;
  }
  return have;
}

result<std::unique_ptr<Source>> open_source(const std::string& path, const SourceOptions& options) {
  return open_live_source(path, options, nullptr);
}

result<std::unique_ptr<Source>> open_live_source(const std::string& path,
                                                 const SourceOptions& options,
                                                 const std::atomic<bool>* stop) {
  const bool standard_input = path == "-";
  const int fd = standard_input ? STDIN_FILENO : open_path(path, stop != nullptr);
  if (fd < 0) return system_fault(Code::open_failed);
  struct stat status{};
  if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(fd);
    return fail(Code::open_failed, "it is a directory");
  }
  return unwrap(
      std::make_unique<FileSource>(fd, standard_input ? std::string() : path, options, stop),
      options.limits);
}

result<std::unique_ptr<Source>> unwrap(std::unique_ptr<Source> source, const Limits& limits) {
  std::vector<std::byte> head(4);
  const auto got = read_fully(*source, head);
  if (!got) return Unexpected(got.error());
  head.resize(*got);
  const Compression compression = recognise_compression(head);
  auto whole = prepend(std::move(head), std::move(source));
  return compression == Compression::none ? std::move(whole)
                                          : decompress(compression, std::move(whole), limits);
}

std::unique_ptr<Source> memory_source(std::vector<std::byte> bytes, std::size_t step) {
  return std::make_unique<MemorySource>(std::move(bytes), step);
}

std::unique_ptr<Source> prepend(std::vector<std::byte> head, std::unique_ptr<Source> rest) {
  return std::make_unique<PrependSource>(std::move(head), std::move(rest));
}

}  // namespace polytrace::base
