// SPDX-License-Identifier: Apache-2.0
#include "agent/common/tools/text_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace polytrace::agent {
namespace {

std::string read_open_file(int fd, std::size_t most, std::string& text) {
  struct stat about{};
  if (fstat(fd, &about) != 0) return std::strerror(errno);
  if (!S_ISREG(about.st_mode)) return "not a regular file";
  if (static_cast<std::uint64_t>(about.st_size) > most) return "too large";
  text.resize(static_cast<std::size_t>(about.st_size));
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = ::read(fd, text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::strerror(errno);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return {};
}

}  // namespace

std::string read_text_file(const std::string& path, std::size_t most, std::string& text) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::strerror(errno);
  std::string fault = read_open_file(fd, most, text);
  close(fd);
  return fault;
}

}  // namespace polytrace::agent
