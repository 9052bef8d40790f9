// SPDX-License-Identifier: Apache-2.0
#include "cli/input/spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/codes.hpp"
#include "cli/frame/signals.hpp"

namespace polytrace::cli {
namespace {

base::result<int> nameless_file() {
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder == nullptr ? "/tmp" : folder) + "/polytrace.XXXXXX";
  const int fd = mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return base::fail(base::Code::write_failed, path + ": " + std::strerror(errno));
  unlink(path.c_str());
  return fd;
}

bool put(int fd, const char* bytes, std::size_t count) {
  while (count != 0) {
    const ssize_t written = ::write(fd, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

base::result<void> copy_standard_input(int to) {
  std::vector<char> piece(std::size_t{256} * 1024);
  while (!stop_asked()) {
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::system_fault(base::Code::read_failed);
    if (!put(to, piece.data(), static_cast<std::size_t>(got)))
      return base::system_fault(base::Code::write_failed);
  }
  return {};
}

}  // namespace

base::result<int> spool_standard_input() {
  auto fd = nameless_file();
  if (!fd) return fd;
  if (auto copied = copy_standard_input(*fd); !copied) {
    close(*fd);
    return base::Unexpected(copied.error());
  }
  return fd;
}

}  // namespace polytrace::cli
