// SPDX-License-Identifier: Apache-2.0
#include "cli/history/state_cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstdlib>
#include <filesystem>

#include "history/bundle.hpp"

namespace polytrace::cli {
namespace {

namespace fs = std::filesystem;

std::string cache_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path cache_home() {
  if (const std::string home = cache_variable("XDG_CACHE_HOME"); home.starts_with('/')) return home;
  const std::string home = cache_variable("HOME");
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

}  // namespace

StateCache::StateCache(const std::string& file, bool keep) : keep_(keep) {
  const std::string name = fingerprint(file);
  const fs::path home = cache_home();
  if (name.empty() || home.empty()) keep_ = false;
  std::error_code fault;
  const fs::path base = keep_ ? home / "polytrace" / "states" : fs::temp_directory_path(fault);
  folder_ = base / (keep_ ? name : fmt::format("polytrace-states-{}", getpid()));
  draft_ = folder_ + fmt::format(".{}", getpid());
}

StateCache::~StateCache() {
  std::error_code fault;
  fs::remove_all(draft_, fault);
  if (!keep_) fs::remove_all(folder_, fault);
}

bool StateCache::is_filled() const {
  std::error_code fault;
  return keep_ && fs::exists(history::file_in(folder_, history::kHistoryFile), fault);
}

base::result<void> StateCache::fill() {
  std::error_code fault;
  fs::remove_all(folder_, fault);
  fs::rename(draft_, folder_, fault);
  if (!fault) return {};
  return base::fail(base::Code::write_failed, fmt::format("{}: {}", folder_, fault.message()));
}

}  // namespace polytrace::cli
