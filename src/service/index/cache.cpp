// SPDX-License-Identifier: Apache-2.0
#include "service/index/cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "agent/common/options/options.hpp"
#include "base/codes.hpp"
#include "base/frames/frames.hpp"
#include "base/wall_clock.hpp"
#include "service/words/environment.hpp"
#include "store/file/eviction.hpp"

namespace polytrace::service {
namespace {

using base::Code;
using store::FolderLock;
using store::IndexPlace;

namespace fs = std::filesystem;

constexpr const char* kSource = "/source";

std::string indexes_folder() { return store::indexes_folder(store::cache_root()); }

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Nanoseconds since 1970; 0 where there is no such file.
std::int64_t changed(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return 0;
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

std::uint64_t size_of(const std::string& path) {
  std::error_code fault;
  const auto size = fs::file_size(path, fault);
  return fault ? 0 : size;
}

std::uint64_t size_of_all(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code fault;
  for (auto at = fs::recursive_directory_iterator(folder, fault);
       !fault && at != fs::recursive_directory_iterator(); at.increment(fault))
    if (at->is_regular_file(fault)) bytes += size_of(at->path().string());
  return bytes;
}

void read_state(CachedIndex& index, const IndexPlace& place) {
  const bool whole = size_of(place.file()) != 0;
  const auto view = store::IndexView::open(whole ? place.file() : place.file() + ".new");
  index.standing = whole ? IndexStanding::damaged : IndexStanding::building;
  if (!view) return;
  index.format = (*view)->head().format;
  index.events = (*view)->totals().events;
  if (!whole) return;
  index.standing =
      (*view)->head().rules == store::kRules ? IndexStanding::current : IndexStanding::stale;
}

CachedIndex account_of(const IndexPlace& place) {
  CachedIndex index{.folder = place.folder,
                    .file = remembered_source(place.folder),
                    .bytes = size_of_all(place.folder)};
  index.used = std::max(changed(place.used()), changed(place.file()));
  if (index.used == 0) index.used = changed(place.folder);
  read_state(index, place);
  return index;
}

std::vector<IndexPlace> places_in(const std::string& folder) {
  std::vector<IndexPlace> places;
  std::error_code fault;
  for (const auto& outer : fs::directory_iterator(folder, fault)) {
    if (!is_hex(outer.path().filename().string(), 2)) continue;
    for (const auto& inner : fs::directory_iterator(outer.path(), fault))
      if (store::is_place_name(inner.path().filename().string()))
        places.push_back({inner.path().string()});
  }
  return places;
}

// Held while an index is removed. Nothing: somebody uses it, or builds it.
struct Hold {
  FolderLock building;
  FolderLock using_it;
};
std::optional<Hold> hold(const IndexPlace& place) {
  auto building = FolderLock::take(place.lock(), FolderLock::Share::alone);
  if (!building || !*building) return std::nullopt;
  auto using_it = FolderLock::take(place.used(), FolderLock::Share::alone);
  if (!using_it || !*using_it) return std::nullopt;
  return Hold{std::move(**building), std::move(**using_it)};
}

// What we put there and nothing else, then the folder, if that leaves it empty.
void remove_files(const IndexPlace& place) {
  std::error_code fault;
  for (const std::string& file : {place.file(), place.file() + ".new", place.folder + kSource})
    fs::remove(file, fault);
  fs::remove_all(place.side(), fault);
  for (const std::string& file : {place.used(), place.lock(), place.folder})
    fs::remove(file, fault);
}

void remove_or_tell(const CachedIndex& index, Dropped& dropped) {
  const IndexPlace place{index.folder};
  const auto held = hold(place);
  if (!held) return dropped.busy.push_back(index.folder);
  remove_files(place);
  dropped.gone.push_back(index);
}

// Without touching what tells the last use.
bool is_locked(const IndexPlace& place) {
  const auto used = changed(place.used());
  const bool locked = !hold(place);
  if (used == 0 && !locked) {
    std::error_code fault;
    fs::remove(place.used(), fault);
  }
  return locked;
}

store::KeptIndex kept(const CachedIndex& index) {
  const IndexPlace place{index.folder};
  const std::string draft = place.file() + ".new";
  return {.bytes = index.bytes,
          .used = index.used,
          .locked = is_locked(place),
          .draft_bytes = size_of(draft),
          .drafted = changed(draft)};
}

void remove_draft(const CachedIndex& index, Dropped& dropped) {
  const IndexPlace place{index.folder};
  const std::string draft = place.file() + ".new";
  CachedIndex gone = index;
  gone.bytes = size_of(draft);
  gone.standing = IndexStanding::building;
  const auto lock = FolderLock::take(place.lock(), FolderLock::Share::alone);
  std::error_code fault;
  if (lock && *lock && fs::remove(draft, fault)) dropped.gone.push_back(std::move(gone));
}

std::uint64_t sum_of_bytes(const std::vector<CachedIndex>& all) {
  std::uint64_t sum = 0;
  for (const CachedIndex& index : all) sum += index.bytes;
  return sum;
}

std::uint64_t limit_of_file_system(std::string folder) {
  struct statvfs status{};
  while (folder.size() > 1 && statvfs(folder.c_str(), &status) != 0)
    folder = fs::path(folder).parent_path().string();
  if (statvfs(folder.empty() ? "." : folder.c_str(), &status) != 0) status.f_blocks = 0;
  return store::usual_limit(std::uint64_t{status.f_blocks} * status.f_frsize);
}

bool is_index_folder(const std::string& path) {
  const IndexPlace place{path};
  std::error_code fault;
  return fs::is_directory(path, fault) &&
         (fs::exists(place.file(), fault) || fs::exists(place.file() + ".new", fault));
}

base::Error no_index(const std::string& folder) {
  return {Code::open_failed,
          {},
          fmt::format("no index of it in {}; polytrace index build makes one", folder)};
}

}  // namespace

std::uint64_t CacheAccount::bytes() const { return sum_of_bytes(indexes); }
std::uint64_t Dropped::bytes() const { return sum_of_bytes(gone); }

void remember_source(const std::string& folder, const std::string& file) {
  std::error_code fault;
  const fs::path whole = fs::canonical(file, fault);
  if (!fault) std::ofstream(folder + kSource) << whole.string();
}

std::string remembered_source(const std::string& folder) {
  constexpr std::size_t kMostPath = 4096;
  std::string text(kMostPath, '\0');
  std::ifstream file(folder + kSource, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

base::result<std::uint64_t> cache_limit(const std::string& limit) {
  const std::string word = limit.empty() ? std::string(variable("POLYTRACE_CACHE_LIMIT")) : limit;
  if (word.empty()) return limit_of_file_system(indexes_folder());
  std::uint64_t bytes = 0;
  if (agent::parse_size(word, bytes)) return bytes;
  return base::fail(Code::usage,
                    fmt::format("{}: \"{}\" is no size (as 500M or 20G)",
                                limit.empty() ? "$POLYTRACE_CACHE_LIMIT" : "--limit", word));
}

base::result<CacheAccount> list_indexes() {
  const auto limit = cache_limit({});
  if (!limit) return base::Unexpected(limit.error());
  CacheAccount account{.folder = indexes_folder(), .limit = *limit};
  if (account.folder.empty()) return account;
  for (const IndexPlace& place : places_in(account.folder))
    account.indexes.push_back(account_of(place));
  std::ranges::stable_sort(account.indexes, std::ranges::greater{}, &CachedIndex::used);
  return account;
}

Asked<VerifiedIndex> verify_index(const std::string& file, const std::string& folder,
                                  Verifying verifying) {
  const auto found = find_index(file, folder);
  if (!found) return refuse(found.error(), file);
  VerifiedIndex verified{.file = file, .folder = found->place.folder};
  if (found->standing == IndexStanding::none) return refuse(no_index(verified.folder), file);
  if (verifying == Verifying::source_too) {
    const bool same = found->standing != IndexStanding::stale;
    if (found->view != nullptr) verified.is_current = same;
  }
  const auto view = store::IndexView::open(found->place.file());
  if (!view) {
    verified.broken.push_back({"page 0", view.error()});
    return verified;
  }
  verified.bytes = (*view)->slot().length;
  verified.frames = (*view)->entries().size();
  for (auto broken = first_broken(**view); broken; broken = first_broken(**view, broken->entry + 1))
    verified.broken.push_back(
        {base::frame_name((*view)->entries()[broken->entry].kind), broken->error});
  return verified;
}

Asked<CachedIndex> drop_index(const std::string& file, const std::string& folder) {
  IndexPlace place{file};
  if (!is_index_folder(file)) {
    const auto found = find_index(file, folder);
    if (!found) return refuse(found.error(), file);
    place = found->place;
  }
  if (!is_index_folder(place.folder)) return refuse(no_index(place.folder), file);
  Dropped dropped;
  remove_or_tell(account_of(place), dropped);
  if (dropped.gone.empty()) return refuse({Code::index_busy, {}, {}}, place.folder);
  return std::move(dropped.gone.front());
}

base::result<Dropped> drop_all_indexes() {
  const auto account = list_indexes();
  if (!account) return base::Unexpected(account.error());
  Dropped dropped;
  for (const CachedIndex& index : account->indexes) remove_or_tell(index, dropped);
  return dropped;
}

base::result<Dropped> prune_indexes(const std::string& limit) {
  const auto most = cache_limit(limit);
  if (!most) return base::Unexpected(most.error());
  const auto account = list_indexes();
  if (!account) return base::Unexpected(account.error());
  std::vector<store::KeptIndex> all;
  for (const CachedIndex& index : account->indexes) all.push_back(kept(index));
  Dropped dropped{.limit = *most};
  for (const store::Removal& removal : store::evictions(all, *most, base::wall_now())) {
    const CachedIndex& index = account->indexes[removal.index];
    if (removal.what == store::Removal::What::draft) remove_draft(index, dropped);
    else remove_or_tell(index, dropped);
  }
  return dropped;
}

}  // namespace polytrace::service
