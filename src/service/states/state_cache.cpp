// SPDX-License-Identifier: Apache-2.0
#include "service/states/state_cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "history/bundle.hpp"

namespace polytrace::service {
namespace {

namespace fs = std::filesystem;

// Empty for what has no lasting content.
std::string fingerprint(const std::string& file) {
  struct stat status{};
  std::error_code fault;
  const fs::path whole = fs::canonical(file, fault);
  if (fault || stat(whole.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const std::string facts =
      fmt::format("{}\n{}\n{}.{}\n{}\n{}", whole.string(), status.st_size, status.st_mtim.tv_sec,
                  status.st_mtim.tv_nsec, status.st_ino, POLYTRACE_VERSION);
  return fmt::format("{:016x}", XXH3_64bits(facts.data(), facts.size()));
}

// A new one that nobody else knows or can enter. Empty: it cannot be made.
std::string own_folder(const fs::path& beside) {
  std::error_code fault;
  fs::create_directories(beside.parent_path(), fault);
  std::string name = beside.string() + ".XXXXXX";
  return mkdtemp(name.data()) != nullptr ? name : std::string();
}

struct KeptHistory {
  fs::path path;
  fs::file_time_type used;
  std::uint64_t bytes;
};

// Newest first. What vanishes meanwhile is somebody else's doing, and no matter.
std::vector<KeptHistory> kept_in(const fs::path& states) {
  std::vector<KeptHistory> all;
  std::error_code fault;
  for (const fs::directory_entry& entry : fs::directory_iterator(states, fault)) {
    KeptHistory kept{entry.path(), entry.last_write_time(fault), 0};
    for (const fs::directory_entry& file : fs::directory_iterator(entry.path(), fault)) {
      const auto size = file.file_size(fault);
      if (!fault) kept.bytes += size;
    }
    all.push_back(std::move(kept));
  }
  std::ranges::sort(all, std::ranges::greater{}, &KeptHistory::used);
  return all;
}

// Drafts, which have a point in their name, may be in the making: only old ones go.
void make_room(const fs::path& states) {
  constexpr std::size_t kMostKept = 16;
  constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30;
  constexpr auto kDraftAge = std::chrono::hours(24);
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  std::error_code fault;
  for (const KeptHistory& kept : kept_in(states)) {
    if (kept.path.has_extension()) {
      if (fs::file_time_type::clock::now() - kept.used > kDraftAge)
        fs::remove_all(kept.path, fault);
      continue;
    }
    bytes += kept.bytes;
    if (++count > kMostKept || (bytes > kMostBytes && count > 1)) fs::remove_all(kept.path, fault);
  }
}

}  // namespace

StateCache::StateCache(const std::string& file, const std::string& cache, bool keep) : keep_(keep) {
  const std::string name = fingerprint(file);
  if (keep_ && cache.empty())
    trouble_ = "neither POLYTRACE_CACHE, XDG_CACHE_HOME nor HOME names a folder";
  if (name.empty() || cache.empty()) keep_ = false;
  if (keep_) folder_ = fs::path(cache) / "states" / name;
}

StateCache::~StateCache() {
  std::error_code fault;
  if (!draft_.empty()) fs::remove_all(draft_, fault);
}

std::optional<history::History> StateCache::find() const {
  if (!keep_) return std::nullopt;
  auto opened = history::History::open(history::file_in(folder_, history::kHistoryFile));
  if (!opened || !opened->facts().complete || !opened->notices().empty()) return std::nullopt;
  std::error_code fault;
  fs::last_write_time(folder_, fs::file_time_type::clock::now(), fault);  // it was used
  return std::move(*opened);
}

const std::string& StateCache::draft() {
  if (!draft_.empty()) return draft_;
  if (keep_) draft_ = own_folder(folder_);
  if (!draft_.empty()) return draft_;
  if (keep_) trouble_ = fmt::format("{}: {}", folder_, std::strerror(errno));
  keep_ = false;
  std::error_code fault;
  return draft_ = own_folder(fs::temp_directory_path(fault) / "polytrace-states");
}

void StateCache::fill() {
  if (!keep_) return;
  std::error_code fault;
  fs::rename(draft_, folder_, fault);
  // Another one was faster, unless what is there is damaged.
  if (fault && !find()) {
    fs::remove_all(folder_, fault);
    fs::rename(draft_, folder_, fault);
  }
  if (!fault) draft_.clear();
  make_room(fs::path(folder_).parent_path());
}

}  // namespace polytrace::service
