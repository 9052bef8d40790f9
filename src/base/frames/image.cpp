// SPDX-License-Identifier: Apache-2.0
#include "base/frames/image.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/codes.hpp"
#include "base/frames/bits.hpp"

namespace polytrace::base {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

// Fewer bytes where the file ends.
result<std::size_t> read_at(int fd, std::uint64_t offset, std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got =
        pread(fd, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_fault(Code::read_failed);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

result<std::uint64_t> size_of(int fd) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return system_fault(Code::read_failed);
  if (!S_ISREG(status.st_mode)) return fail(Code::open_failed, "not a file");
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

result<Image> Image::map(const std::string& path) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return system_fault(Code::open_failed);
  const auto size = size_of(file.fd);
  if (!size) return tl::unexpected(size.error());
  return map(file.fd, *size);
}

result<Image> Image::map(int descriptor, std::uint64_t size) { return map(descriptor, size, {}); }

result<Image> Image::map(int descriptor, std::uint64_t size, Bytes behind) {
  // A page of zeros stays behind the last one: no read-ahead of columns can fall off it.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  Image image;
  image.mapped_ = (size + behind.size() + page - 1) / page * page + page;
  void* const room =
      mmap(nullptr, image.mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return image.mapped_ = 0, system_fault(Code::read_failed);
  auto* const at = static_cast<std::byte*>(room);
  image.at_ = at;
  image.size_ = size + behind.size();
  image.in_file_ = size;
  if (size == 0 && behind.empty()) return image;
  // What stands on one page with bytes that are not in the file is copied.
  const std::size_t shared = behind.empty() ? size : size / page * page;
  if (shared != 0 &&
      mmap(room, shared, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, 0) == MAP_FAILED)
    return system_fault(Code::read_failed);
  const auto copied = read_at(descriptor, shared, {at + shared, size - shared});
  if (!copied) return Unexpected(copied.error());
  std::ranges::copy(behind, at + size);
  image.fd_ = dup(descriptor);
  return image;
}

result<Image> Image::read(const std::string& path) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return system_fault(Code::open_failed);
  const auto size = size_of(file.fd);
  if (!size) return tl::unexpected(size.error());
  std::vector<std::byte> bytes;
  bytes.reserve(*size + kReadable);
  bytes.resize(*size);
  const auto done = read_at(file.fd, 0, bytes);
  if (!done) return Unexpected(done.error());
  bytes.resize(*done);
  return of(std::move(bytes));
}

Image Image::of(std::vector<std::byte> bytes) {
  Image image;
  image.size_ = bytes.size();
  image.memory_ = std::move(bytes);
  image.memory_.resize(image.size_ + kReadable);
  image.at_ = image.memory_.data();
  return image;
}

Image::Image(Image&& other) noexcept { *this = std::move(other); }

Image& Image::operator=(Image&& other) noexcept {
  std::swap(at_, other.at_);
  std::swap(size_, other.size_);
  std::swap(in_file_, other.in_file_);
  std::swap(mapped_, other.mapped_);
  std::swap(fd_, other.fd_);
  std::swap(memory_, other.memory_);
  return *this;
}

Image::~Image() {
  if (mapped_ != 0) munmap(const_cast<std::byte*>(at_), mapped_);
  if (fd_ >= 0) close(fd_);
}

void Image::want(std::uint64_t offset, std::uint64_t length) const {
  if (mapped_ == 0) return;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t from = offset / page * page;
  madvise(const_cast<std::byte*>(at_) + from, offset - from + length, MADV_WILLNEED);
}

bool Image::intact() const {
  if (fd_ < 0) return true;
  const auto size = size_of(fd_);
  return size && *size >= in_file_;
}

}  // namespace polytrace::base
