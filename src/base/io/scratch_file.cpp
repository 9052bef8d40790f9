// SPDX-License-Identifier: Apache-2.0
#include "base/io/scratch_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/codes.hpp"

namespace polytrace::base {

std::string scratch_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder == nullptr ? "/tmp" : folder;
}

std::string ScratchFile::path() const { return "/proc/self/fd/" + std::to_string(fd_); }

ScratchFile::~ScratchFile() {
  if (fd_ >= 0) close(fd_);
}

result<void> ScratchFile::create() {
  if (fd_ >= 0) return {};
  std::string path = scratch_folder() + "/polytrace.XXXXXX";
  fd_ = mkostemp(path.data(), O_CLOEXEC);
  if (fd_ < 0) return fail(Code::write_failed, path + ": " + std::strerror(errno));
  unlink(path.c_str());
  return {};
}

result<int> ScratchFile::release() {
  if (auto made = create(); !made) return Unexpected(made.error());
  return std::exchange(fd_, -1);
}

result<void> ScratchFile::append(Bytes bytes) {
  if (auto made = create(); !made) return made;
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_fault(Code::write_failed);
    size_ += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return {};
}

result<void> ScratchFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_fault(Code::read_failed);
    if (got == 0) return fail(Code::read_failed);
    offset += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace polytrace::base
