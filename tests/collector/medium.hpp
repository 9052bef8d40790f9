// SPDX-License-Identifier: Apache-2.0
// What a power cut leaves of the collector's files: what was synced, and any part of the rest.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

namespace polytrace::test {

class Medium {
 public:
  explicit Medium(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // All that is in that part of the folder now is on the medium.
  void synced(const std::filesystem::path& part = {}) {
    for (const auto& file : Files(folder_ / part))
      if (file.is_regular_file()) sizes_[file.path()] = file.file_size();
  }
  void cut(std::mt19937& random) {
    if (!std::filesystem::exists(folder_)) return;
    for (const auto& file : Files(folder_)) {
      if (!file.is_regular_file() || has_newer(file)) continue;
      const std::uintmax_t size = file.file_size();
      const std::uintmax_t safe = std::min(sizes_[file.path()], size);
      std::filesystem::resize_file(file, safe + random() % (size - safe + 1));
    }
  }

 private:
  using Files = std::filesystem::recursive_directory_iterator;

  // A file of a series is synced before the next one begins.
  static bool has_newer(const std::filesystem::path& file) {
    if (file.extension() != ".blocks" && file.extension() != ".batches") return false;
    const std::filesystem::directory_iterator all(file.parent_path());
    return std::any_of(begin(all), end(all),
                       [&](const std::filesystem::path& other) { return other > file; });
  }

  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::uintmax_t> sizes_;
};

}  // namespace polytrace::test
