// SPDX-License-Identifier: Apache-2.0
// Files of a folder by their numbers: "spool-00000000000000a3.blocks". Thread-safe.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace polytrace::collector {

struct NumberedFiles {
  std::string_view prefix;
  std::string_view suffix;

  struct Found {
    std::filesystem::path path;
    std::uint64_t number = 0;
  };
  // In order of their numbers; the folder is made where it is missing. Errors: open_failed.
  base::result<std::vector<Found>> find(const std::filesystem::path& folder) const;
  std::filesystem::path path(const std::filesystem::path& folder, std::uint64_t number) const;
};

}  // namespace polytrace::collector
