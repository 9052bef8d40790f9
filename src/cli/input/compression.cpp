// SPDX-License-Identifier: Apache-2.0
#include "cli/input/compression.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/io/compressed_source.hpp"

namespace polytrace::cli {

std::string_view compression_name(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "unknown";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "unknown";
  std::array<std::byte, 4> head{};
  const ssize_t got = pread(fd, head.data(), head.size(), 0);
  close(fd);
  const std::size_t size = got > 0 ? static_cast<std::size_t>(got) : 0;
  switch (base::recognise_compression(base::Bytes(head).first(size))) {
    case base::Compression::gzip: return "gzip";
    case base::Compression::zstd: return "zstd";
    case base::Compression::none: break;
  }
  return "none";
}

}  // namespace polytrace::cli
