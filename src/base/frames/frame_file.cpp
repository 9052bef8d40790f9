// SPDX-License-Identifier: Apache-2.0
#include "base/frames/frame_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "base/codes.hpp"
#include "base/io/crc32c.hpp"

namespace polytrace::base {
namespace {

constexpr mode_t kMode = 0666;
// Below this a compressed frame saves nothing worth while.
constexpr std::size_t kWorthCompressing = 4096;
constexpr int kLevel = 3;

result<void> write_frames_at(int fd, Bytes bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t put = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_fault(Code::write_failed);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return {};
}

// Raw length and one zstd frame; empty when that is no shorter.
std::vector<std::byte> compressed_frame(Bytes raw) {
  constexpr std::size_t kHead = sizeof(std::uint64_t);
  std::vector<std::byte> packed(kHead + ZSTD_compressBound(raw.size()));
  const std::uint64_t length = raw.size();
  std::memcpy(packed.data(), &length, kHead);
  const std::size_t size =
      ZSTD_compress(packed.data() + kHead, packed.size() - kHead, raw.data(), raw.size(), kLevel);
  packed.resize(ZSTD_isError(size) != 0 || size + kHead >= raw.size() ? 0 : size + kHead);
  return packed;
}

}  // namespace

FrameFile::FrameFile(FrameFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

FrameFile& FrameFile::operator=(FrameFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  return *this;
}

FrameFile::~FrameFile() {
  if (fd_ >= 0) close(fd_);
}

result<FrameFile> FrameFile::create(const std::string& path, bool replace) {
  if (replace && unlink(path.c_str()) != 0 && errno != ENOENT)
    return system_fault(Code::write_failed);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (fd < 0 && errno == EEXIST) return fail(Code::output_exists);
  if (fd < 0) return system_fault(Code::write_failed);
  return FrameFile(fd);
}

result<FrameFile> FrameFile::temporary() {
  const char* const folder = std::getenv("TMPDIR");
  std::string name = std::string(folder != nullptr ? folder : "/tmp") + "/polytrace.XXXXXX";
  const int fd = mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) return system_fault(Code::write_failed);
  unlink(name.c_str());
  return FrameFile(fd);
}

result<FrameFile> FrameFile::in_memory() {
  const int fd = memfd_create("polytrace", MFD_CLOEXEC);
  if (fd < 0) return system_fault(Code::write_failed);
  return FrameFile(fd);
}

result<FrameFile> FrameFile::reopen(const std::string& path, std::uint64_t size) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return system_fault(Code::open_failed);
  FrameFile file(fd);
  if (ftruncate(fd, static_cast<off_t>(size)) != 0) return system_fault(Code::write_failed);
  file.size_ = size;
  return file;
}

result<void> FrameFile::write(Bytes bytes) {
  auto written = write_frames_at(fd_, bytes, size_);
  if (written) size_ += bytes.size();
  return written;
}

result<void> FrameFile::overwrite(std::uint64_t offset, Bytes bytes) {
  auto written = write_frames_at(fd_, bytes, offset);
  if (written) size_ = std::max(size_, offset + bytes.size());
  return written;
}

result<std::uint64_t> FrameFile::append(std::uint32_t kind, Bytes payload, bool compress) {
  constexpr std::array<std::byte, kFrameAlignment> kZeros{};
  std::vector<std::byte> packed;
  if (compress && payload.size() > kWorthCompressing) packed = compressed_frame(payload);
  FrameHead head{.kind = kind};
  if (!packed.empty()) {
    payload = packed;
    head.flags = FrameHead::kCompressed;
  }
  head.length = payload.size();
  head.checksum = crc32c(payload);
  const std::uint64_t before = size_;
  auto written = write(Bytes(kZeros).first(next_frame(size_) - size_));
  const std::uint64_t offset = size_;
  if (written) written = write(encode(head));
  if (written) written = write(payload);
  if (written) written = write(Bytes(kZeros).first(next_frame(size_) - size_));
  last_head_ = head;
  if (written) return offset;
  size_ = before;  // the next frame overwrites what is left of this one
  return tl::unexpected(written.error());
}

result<void> FrameFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got = pread(fd_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_fault(Code::read_failed);
    if (got == 0) return fail(Code::frame_truncated);
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

result<void> FrameFile::sync() {
  if (fdatasync(fd_) != 0) return system_fault(Code::write_failed);
  return {};
}

}  // namespace polytrace::base
