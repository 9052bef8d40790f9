// SPDX-License-Identifier: Apache-2.0
#include "store/file/cache_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/codes.hpp"

namespace polytrace::store {
namespace {

using base::Code;

constexpr mode_t kFolderMode = 0700;
constexpr mode_t kFileMode = 0600;
constexpr std::string_view kLive = "live-";
constexpr std::size_t kLiveDigits = 16;
constexpr std::size_t kDigits = 32;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

base::result<void> make_one_folder(const std::string& path) {
  if (mkdir(path.c_str(), kFolderMode) != 0 && errno != EEXIST)
    return base::system_fault(Code::write_failed);
  return {};
}

}  // namespace

std::string cache_root() {
  if (const std::string own = environment("POLYTRACE_CACHE"); !own.empty()) return own;
  if (const std::string xdg = environment("XDG_CACHE_HOME"); xdg.starts_with('/'))
    return xdg + "/polytrace";
  if (const std::string home = environment("HOME"); !home.empty())
    return home + "/.cache/polytrace";
  return {};
}

std::string indexes_folder(const std::string& cache) {
  return cache.empty() ? cache : cache + "/index";
}

IndexPlace place_of(const std::string& cache, const base::Fingerprint& fingerprint) {
  const std::string digits = base::to_hex(fingerprint);
  return {indexes_folder(cache) + '/' + digits.substr(0, 2) + '/' + digits};
}

std::uint64_t live_id(const SourceFacts& facts) {
  constexpr unsigned kInodeBits = 48;
  return facts.device << kInodeBits | (facts.inode & ((std::uint64_t{1} << kInodeBits) - 1));
}

IndexPlace live_place(const std::string& cache, std::uint64_t live_id) {
  const std::string digits = fmt::format("{:016x}", live_id);
  return {fmt::format("{}/{}/{}{}", indexes_folder(cache), digits.substr(kLiveDigits - 2), kLive,
                      digits)};
}

bool is_place_name(std::string_view folder) {
  const bool is_live = folder.starts_with(kLive);
  if (is_live) folder.remove_prefix(kLive.size());
  return folder.size() == (is_live ? kLiveDigits : kDigits) &&
         folder.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

base::result<void> make_folder(const IndexPlace& place) {
  for (std::size_t at = place.folder.find('/', 1); at != std::string::npos;
       at = place.folder.find('/', at + 1))
    if (auto made = make_one_folder(place.folder.substr(0, at)); !made) return made;
  return make_one_folder(place.folder);
}

base::result<std::optional<FolderLock>> FolderLock::take(const std::string& file, Share share) {
  FolderLock lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode));
  if (lock.fd_ < 0) return base::system_fault(Code::open_failed);
  const int how = share == Share::alone ? LOCK_EX : LOCK_SH;
  if (flock(lock.fd_, how | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::optional<FolderLock>();
    return base::system_fault(Code::open_failed);
  }
  return std::optional(std::move(lock));
}

base::result<std::optional<FolderLock>> FolderLock::use(const IndexPlace& place) {
  auto lock = take(place.used(), Share::with_others);
  if (lock && *lock) static_cast<void>(futimens((*lock)->fd_, nullptr));
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace polytrace::store
