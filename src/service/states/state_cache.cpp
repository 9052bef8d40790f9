// SPDX-License-Identifier: Apache-2.0
#include "service/states/state_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/wall_clock.hpp"
#include "history/bundle.hpp"
#include "store/source/source_identity.hpp"

namespace polytrace::service {
namespace {

namespace fs = std::filesystem;

// Changes with everything that makes another history of the same trace.
constexpr int kRules = 2;

// What a history is named after: where its trace is and how it looks, or all of its content if that
// may have changed since without a trace. Empty for what has no lasting content.
std::string name_of(const std::string& file) {
  std::error_code fault;
  const fs::path whole = fs::canonical(file, fault);
  const base::Time looked = base::wall_now();
  const auto facts = store::look_up(whole.string());
  if (fault || !facts) return {};
  std::string content;
  if (!store::are_settled(*facts, looked)) {
    base::ContentHash hash;
    const auto digest = store::whole_digest(whole.string(), facts->size, hash);
    if (!digest) return {};
    content = base::to_hex(*digest);
  }
  const std::string told =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{} {}", whole.string(), facts->size, facts->modified,
                  facts->changed, facts->inode, facts->device, content, POLYTRACE_VERSION, kRules);
  return fmt::format("{:016x}", XXH3_64bits(told.data(), told.size()));
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

StateCache::StateCache(const std::string& file, const std::string& cache, bool keep)
    : file_(file), keep_(keep) {
  const std::string name = name_of(file);
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
  if (!keep_ || fs::path(folder_).filename() != name_of(file_)) return;
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
