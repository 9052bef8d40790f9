// SPDX-License-Identifier: Apache-2.0
// What a builder does to its file, step by step: a process that ended before one of them, or a
// medium that lost what was not synced, leaves what the steps before it leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace polytrace::store::crash {

struct FileStep {
  bool is_sync = false;
  std::uint64_t offset = 0;
  std::vector<std::byte> bytes{};

  // `part`: how many of the bytes reached the file.
  void apply(std::vector<std::byte>& file, std::size_t part) const;
  void apply(std::vector<std::byte>& file) const { apply(file, bytes.size()); }
};

// Of all files that this thread writes to while the object lives.
class Recording {
 public:
  Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

  std::vector<FileStep> steps;
};

}  // namespace polytrace::store::crash
