// SPDX-License-Identifier: Apache-2.0
#include "base/io/sink.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <span>

#include "base/codes.hpp"
#include "base/text/terminal_text.hpp"

namespace polytrace::base {
namespace {

result<void> write_all(int fd, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_fault(Code::write_failed);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return {};
}

// Without a name until it is whole, where the file system can: then whatever kills the program
// leaves nothing behind. Elsewhere under a temporary name.
class FileSink final : public Sink {
 public:
  FileSink(int fd, std::string temporary, std::string path)
      : fd_(fd), temporary_(std::move(temporary)), path_(std::move(path)) {}
  ~FileSink() override {
    if (fd_ >= 0) close(fd_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
  }

  result<void> write(Bytes bytes) override { return write_all(fd_, bytes); }
  result<void> commit() override {
    if (fsync(fd_) != 0) return system_fault(Code::write_failed);
    if (temporary_.empty()) {
      if (auto named = name_it(); !named) return named;
    }
    const int closed = close(fd_);
    fd_ = -1;
    if (closed != 0) return system_fault(Code::write_failed);
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
      return system_fault(Code::write_failed);
    temporary_.clear();
    return {};
  }

 private:
  // A link never replaces a file: it takes a name of its own first.
  result<void> name_it() {
    const std::string name = path_ + '.' + std::to_string(getpid());
    const std::string open_file = "/proc/self/fd/" + std::to_string(fd_);
    if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
      return system_fault(Code::write_failed);
    temporary_ = name;
    return {};
  }

  int fd_;
  std::string temporary_;  // empty while it has no name
  std::string path_;
};

// Pipes, terminals and devices cannot be renamed into place: written straight.
class StreamSink final : public Sink {
 public:
  StreamSink(int fd, bool owned) : fd_(fd), owned_(owned), is_terminal_(isatty(fd) == 1) {}
  ~StreamSink() override {
    if (owned_) close(fd_);
  }
  result<void> write(Bytes bytes) override {
    if (!is_terminal_) return write_all(fd_, bytes);
    return show(door_.pass({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  }
  result<void> commit() override { return is_terminal_ ? show(door_.finish()) : result<void>(); }

 private:
  result<void> show(const std::string& text) {
    return write_all(fd_, std::as_bytes(std::span(text)));
  }

  int fd_;
  bool owned_;
  bool is_terminal_;
  TerminalDoor door_;
};

class MemorySink final : public Sink {
 public:
  explicit MemorySink(std::vector<std::byte>& into) : into_(into) {}
  result<void> write(Bytes bytes) override {
    into_.insert(into_.end(), bytes.begin(), bytes.end());
    return {};
  }
  result<void> commit() override { return {}; }

 private:
  std::vector<std::byte>& into_;
};

// 0666 as the user's umask allows.
result<std::unique_ptr<Sink>> create_file(const std::string& path) {
  constexpr mode_t kMode = 0666;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const int unnamed =
      open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
  if (unnamed >= 0 && access("/proc/self/fd", X_OK) == 0)
    return std::make_unique<FileSink>(unnamed, std::string(), path);
  if (unnamed >= 0) close(unnamed);
  std::string temporary = path + ".XXXXXX";
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return system_fault(Code::write_failed);
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, kMode & ~mask);
  return std::make_unique<FileSink>(fd, std::move(temporary), path);
}

}  // namespace

result<std::unique_ptr<Sink>> create_sink(const std::string& path, bool replace) {
  if (path == "-") return std::make_unique<StreamSink>(STDOUT_FILENO, false);
  struct stat status{};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return system_fault(Code::write_failed);
    return std::make_unique<StreamSink>(fd, true);
  }
  if (exists && !replace) return fail(Code::output_exists);
  if (!exists && !replace && lstat(path.c_str(), &status) == 0)
    return fail(Code::output_exists, "it is a link that leads nowhere");
  return create_file(path);
}

std::unique_ptr<Sink> memory_sink(std::vector<std::byte>& into) {
  return std::make_unique<MemorySink>(into);
}

}  // namespace polytrace::base
