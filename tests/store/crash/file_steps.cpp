// SPDX-License-Identifier: Apache-2.0
#include "store/crash/file_steps.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace polytrace::store::crash {
namespace {

thread_local Recording* recording = nullptr;

}  // namespace

void FileStep::apply(std::vector<std::byte>& file, std::size_t part) const {
  if (part == 0) return;
  file.resize(std::max<std::size_t>(file.size(), offset + part));
  std::copy_n(bytes.begin(), part, file.begin() + static_cast<std::ptrdiff_t>(offset));
}

Recording::Recording() { recording = this; }

Recording::~Recording() { recording = nullptr; }

}  // namespace polytrace::store::crash

// Instead of the C library's, in this program: who writes needs no door for its tests.
extern "C" ssize_t pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  using namespace polytrace::store::crash;
  if (recording != nullptr) {
    const auto* const bytes = static_cast<const std::byte*>(data);
    recording->steps.push_back(
        {.offset = static_cast<std::uint64_t>(offset), .bytes = {bytes, bytes + size}});
  }
  return syscall(SYS_pwrite64, descriptor, data, size, offset);
}

extern "C" int fdatasync(int descriptor) {
  using namespace polytrace::store::crash;
  if (recording != nullptr) recording->steps.push_back({.is_sync = true});
  return static_cast<int>(syscall(SYS_fdatasync, descriptor));
}
