// SPDX-License-Identifier: Apache-2.0
// The files below a folder, and none besides: no way up, no links, nothing but regular files and
// folders. What is opened is what was looked at. Any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace polytrace::server {

struct RootEntry {
  std::string name{};
  std::uint64_t size = 0;
  std::string kind{};  // "folder", the name of a trace's format, or empty
};
struct RootList {
  std::vector<RootEntry> entries{};  // by name
  bool is_cut = false;               // there are more
};
inline constexpr std::size_t kMostEntries = 10'000;

// `relative` is a path below the root, "" the root itself. Errors: open_failed.
base::result<RootList> list_below(const std::string& root, const std::string& relative);

// A file by a name that is that very file's as long as it is held.
struct RootFile {
  std::string name{};
  std::shared_ptr<const void> held{};
};
// Errors: open_failed, also of what is no regular file.
base::result<RootFile> open_below(const std::string& root, const std::string& relative);

}  // namespace polytrace::server
