// SPDX-License-Identifier: Apache-2.0
#include "cli/history/state_cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstdlib>
#include <filesystem>

#include "cli/environment.hpp"
#include "history/bundle.hpp"

namespace polytrace::cli {
namespace {

namespace fs = std::filesystem;

fs::path cache_home() {
  if (const auto home = variable("XDG_CACHE_HOME"); home.starts_with('/')) return home;
  const auto home = variable("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache";
}

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

}  // namespace

StateCache::StateCache(const std::string& file, bool keep) : keep_(keep) {
  const std::string name = fingerprint(file);
  const fs::path home = cache_home();
  if (name.empty() || home.empty()) keep_ = false;
  if (keep_) {
    folder_ = home / "polytrace" / "states" / name;
    if (is_filled()) return;
    draft_ = own_folder(folder_);
  }
  if (!draft_.empty()) return;
  keep_ = false;
  std::error_code fault;
  folder_ = draft_ = own_folder(fs::temp_directory_path(fault) / "polytrace-states");
}

StateCache::~StateCache() {
  std::error_code fault;
  if (!draft_.empty()) fs::remove_all(draft_, fault);
}

bool StateCache::is_filled() const {
  std::error_code fault;
  return keep_ && fs::exists(history::file_in(folder_, history::kHistoryFile), fault);
}

base::result<void> StateCache::fill() {
  if (!keep_) return {};
  std::error_code fault;
  fs::rename(draft_, folder_, fault);
  if (!fault || is_filled()) return {};
  fs::remove_all(folder_, fault);  // what is there is no history
  fs::rename(draft_, folder_, fault);
  if (!fault) return {};
  return base::fail(base::Code::write_failed, fmt::format("{}: {}", folder_, fault.message()));
}

}  // namespace polytrace::cli
