// SPDX-License-Identifier: Apache-2.0
#include "cli/input/spool.hpp"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/io/scratch_file.hpp"
#include "cli/frame/signals.hpp"

namespace polytrace::cli {

base::result<int> spool_standard_input() {
  base::ScratchFile file;
  std::vector<std::byte> piece(std::size_t{256} * 1024);
  while (!stop_asked()) {
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::system_fault(base::Code::read_failed);
    auto put = file.append(std::span(piece).first(static_cast<std::size_t>(got)));
    if (!put) return base::Unexpected(put.error());
  }
  return file.release();
}

}  // namespace polytrace::cli
