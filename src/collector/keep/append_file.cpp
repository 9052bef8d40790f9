// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/append_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "base/codes.hpp"
#include "base/io/crc32c.hpp"
#include "base/io/cursor.hpp"

namespace polytrace::collector {

namespace {

constexpr std::size_t kDigits = 16;
constexpr int kHexadecimal = 16;

std::uint32_t head_crc(RecordHead head) {
  head.crc = 0;
  return base::crc32c(std::as_bytes(std::span(&head, 1)));
}

}  // namespace

using base::Code;

base::result<AppendFile> AppendFile::open(const std::filesystem::path& path) {
  AppendFile file;
  file.file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file.file_ < 0) return base::system_fault(Code::open_failed);
  const off_t end = lseek(file.file_, 0, SEEK_END);
  if (end < 0) return base::system_fault(Code::open_failed);
  file.size_ = static_cast<std::uint64_t>(end);
  return file;
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), size_(std::exchange(other.size_, 0)) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(size_, other.size_);
  return *this;
}

AppendFile::~AppendFile() {
  if (file_ >= 0) close(file_);
}

base::result<void> AppendFile::append(std::span<const base::Bytes> parts) {
  const std::uint64_t before = size_;
  for (const base::Bytes part : parts) {
    if (auto done = write(size_, part); !done) {
      static_cast<void>(cut(before));
      size_ = before;  // should even that fail, it is written over
      return done;
    }
  }
  return {};
}

base::result<void> AppendFile::write(std::uint64_t offset, base::Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t put = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put == 0) errno = ENOSPC;
    if (put <= 0) return base::system_fault(Code::write_failed);
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  size_ = std::max(size_, offset);
  return {};
}

base::result<void> AppendFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got = pread(file_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::system_fault(Code::read_failed);
    if (got == 0) return base::fail(Code::read_failed, "it is shorter than it was");
    offset += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

base::result<void> AppendFile::sync() {
  if (fdatasync(file_) != 0) return base::system_fault(Code::write_failed);
  return {};
}

base::result<void> AppendFile::cut(std::uint64_t size) {
  if (ftruncate(file_, static_cast<off_t>(size)) != 0)
    return base::system_fault(Code::write_failed);
  size_ = size;
  return {};
}

base::result<std::vector<NumberedFiles::Found>> NumberedFiles::find(
    const std::filesystem::path& folder) const {
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  std::vector<Found> all;
  for (std::filesystem::directory_iterator at(folder, fault), end; !fault && at != end;
       at.increment(fault)) {
    const std::string name = at->path().filename().string();
    if (name.size() != prefix.size() + kDigits + suffix.size() || !name.starts_with(prefix) ||
        !name.ends_with(suffix))
      continue;
    std::uint64_t number = 0;
    const char* const digits = name.data() + prefix.size();
    const auto read = std::from_chars(digits, digits + kDigits, number, kHexadecimal);
    if (read.ptr == digits + kDigits) all.push_back({at->path(), number});
  }
  if (fault) return base::fail(Code::open_failed, fault.message());
  std::ranges::sort(all, {}, &Found::number);
  return all;
}

std::filesystem::path NumberedFiles::path(const std::filesystem::path& folder,
                                          std::uint64_t number) const {
  return folder / fmt::format("{}{:016x}{}", prefix, number, suffix);
}

base::result<void> replace_file(const std::filesystem::path& path, base::Bytes bytes) {
  std::filesystem::path beside = path;
  beside += ".new";
  std::error_code fault;
  std::filesystem::remove(beside, fault);
  auto file = AppendFile::open(beside);
  if (!file) return base::fail(Code::write_failed, file.error().detail);
  auto done = file->write(0, bytes);
  if (done) done = file->sync();
  if (done && rename(beside.c_str(), path.c_str()) != 0)
    done = base::system_fault(Code::write_failed);
  if (!done) std::filesystem::remove(beside, fault);
  else sync_folder(path.parent_path());
  return done;
}

void sync_folder(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(fsync(file));
  close(file);
}

RecordHead record_head(std::uint64_t key, std::uint64_t place, std::size_t length) {
  RecordHead head{static_cast<std::uint32_t>(length), 0, key, place};
  head.crc = head_crc(head);
  return head;
}

bool Records::is_record(std::size_t at) {
  const auto head = base::load_le<RecordHead>(bytes_.data() + at);
  if (head.length > bytes_.size() - at - sizeof head || head.crc != head_crc(head)) return false;
  head_ = head;
  payload_ = bytes_.subspan(at + sizeof head, head.length);
  return true;
}

bool Records::next() {
  for (std::size_t at = end_; bytes_.size() - at >= sizeof(RecordHead); ++at) {
    if (!is_record(at)) continue;
    passed_ += at - end_;
    at_ = at;
    end_ = at + sizeof(RecordHead) + payload_.size();
    return true;
  }
  passed_ += bytes_.size() - end_;
  at_ = bytes_.size();
  return false;
}

}  // namespace polytrace::collector
