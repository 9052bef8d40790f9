// SPDX-License-Identifier: Apache-2.0
#include "agent/common/stream/output.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "agent/common/memory/clock.hpp"
#include "agent/common/stream/converter.hpp"

namespace polytrace::agent {
namespace {

constexpr base::Time kMillisecond = 1'000'000;
constexpr base::Time kLongestPoll = 100 * kMillisecond;

std::string reason(const std::string& what) { return what + ": " + std::strerror(errno); }

std::string local_time() {
  const time_t now = time(nullptr);
  tm parts{};
  localtime_r(&now, &parts);
  char text[32] = {};
  strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

bool is_folder(const char* path) {
  struct stat about{};
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

struct Ending {
  std::string_view format;
  std::string_view ending;
};
// Of those that are called otherwise than their files.
constexpr Ending kEndings[] = {
    {"native", "ptrace"}, {"tbf", "trcbin"}, {"monoblock", "mprof"}, {"tracelog", "trace.log"}};

}  // namespace

std::string default_name(std::string_view format) {
  const std::string_view ending = format.substr(0, format.find(':'));
  for (const Ending& known : kEndings)
    if (known.format == ending) return "polytrace-%p." + std::string(known.ending);
  return "polytrace-%p." + std::string(ending);
}

std::string expanded_name(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char next = name[i] == '%' && i + 1 < name.size() ? name[i + 1] : '\0';
    if (next == 'p') text += std::to_string(getpid());
    else if (next == 't') text += local_time();
    else if (next == '%') text += '%';
    else text += name[i];
    if (next == 'p' || next == 't' || next == '%') ++i;
  }
  return text;
}

std::uint64_t least_free(std::uint64_t disk) {
  constexpr std::uint64_t kLeast = std::uint64_t{64} << 20;
  constexpr std::uint64_t kMost = std::uint64_t{2} << 30;
  return std::min(std::clamp(disk / 20, kLeast, kMost), disk / 4);
}

bool Output::open(const Options& options, int fd, Faults& faults) {
  if (fd >= 0) {
    struct stat about{};
    is_file_ = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    std::snprintf(name_, sizeof name_, "descriptor %d", fd);
    fd_ = fd;
    if (!is_file_) fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK);
    return true;
  }
  if (options.format.empty()) return false;  // a fault tells its name
  const std::string file = options.file.empty() ? default_name(options.format) : options.file;
  std::snprintf(name_, sizeof name_, "%s", expanded_name(file).c_str());
  named_ = true;
  converts_ = options.format != "native";
  return converts_ || open_file(faults);
}

bool Output::open_file(Faults& faults) {
  fd_ = ::open(name_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd_ < 0) faults.push_back(reason(std::string("file=") + name_));
  is_file_ = true;
  return fd_ >= 0;
}

bool Output::begin(const Options& options, int segments, Faults& faults) {
  if (!converts_) return true;
  const Converter converter = start_converter(options, name_, segments, faults);
  fd_ = converter.input;
  child_ = converter.process;
  return fd_ >= 0;
}

int Output::write(const void* bytes, std::size_t size) {
  const auto* at = static_cast<const char*>(bytes);
  std::size_t left = size;
  int error = 0;
  while (left != 0 && error == 0) {
    const ssize_t wrote = ::write(fd_, at, left);
    if (wrote >= 0) {
      at += wrote;
      left -= static_cast<std::size_t>(wrote);
      continue;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) error = wait_writable();
    else if (errno != EINTR) error = errno;
  }
  if (error == 0) written_ += size;
  else if (is_file_ && ftruncate(fd_, static_cast<off_t>(written_)) != 0) return error;
  return error;
}

int Output::wait_writable() {
  const base::Time left = give_up_.load(std::memory_order_relaxed) - monotonic_now();
  if (left <= 0) return ETIMEDOUT;
  pollfd wanted{fd_, POLLOUT, 0};
  poll(&wanted, 1, static_cast<int>(std::min(left, kLongestPoll) / kMillisecond) + 1);
  return 0;
}

int Output::close() {
  if (fd_ < 0) return 0;
  int error = is_file_ && fdatasync(fd_) != 0 && errno != EINVAL ? errno : 0;
  if (::close(fd_) != 0 && errno != EINTR && error == 0) error = errno;
  fd_ = -1;
  return child_ > 0 ? await_converter() : error;
}

void Output::discard() {
  if (fd_ >= 0 && is_file_ && named_) unlink(name_);
  close();
}

// Somebody else in this process may have awaited it.
int Output::await_converter() {
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child_, &status, WNOHANG);
    if (ended < 0 && errno != EINTR) return errno == ECHILD ? 0 : errno;
    if (ended == child_) return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EPIPE;
    if (monotonic_now() > give_up_.load(std::memory_order_relaxed)) return ETIMEDOUT;
    const timespec pause{0, 2 * kMillisecond};
    nanosleep(&pause, nullptr);
  }
}

bool Output::is_short_of_disk(std::uint64_t min_free) const {
  struct statvfs about{};
  if (!is_file_ || fstatvfs(fd_, &about) != 0) return false;
  const std::uint64_t disk = std::uint64_t{about.f_blocks} * about.f_frsize;
  const std::uint64_t left = std::uint64_t{about.f_bavail} * about.f_frsize;
  return left < (min_free == kAuto ? least_free(disk) : min_free);
}

void Output::segments_path(const Options& options, std::uint64_t stream, char* path,
                           std::size_t size) const {
  const auto number = static_cast<unsigned long long>(stream);
  if (!options.segments.empty())
    std::snprintf(path, size, "%s/polytrace-%d-%016llx.segments", options.segments.c_str(),
                  static_cast<int>(getpid()), number);
  else if (converts_) *path = '\0';
  else if (is_file_ && named_) std::snprintf(path, size, "%s.segments", name_);
  else
    std::snprintf(path, size, "%s/polytrace-%d-%016llx.segments",
                  is_folder("/dev/shm") ? "/dev/shm" : "/tmp", static_cast<int>(getpid()), number);
}

}  // namespace polytrace::agent
