// SPDX-License-Identifier: Apache-2.0
// A file that is only appended to, whole pieces at a time: what could not be written whole is cut
// off again. One thread at a time.
#pragma once

#include <filesystem>
#include <span>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::collector {

class AppendFile {
 public:
  // Makes it where it is missing. Errors: open_failed.
  static base::result<AppendFile> open(const std::filesystem::path& path);
  AppendFile() = default;
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  ~AppendFile();

  std::uint64_t size() const { return size_; }
  int descriptor() const { return file_; }
  // The parts behind each other, or nothing. Errors: write_failed.
  base::result<void> append(std::span<const base::Bytes> parts);
  // At a place, which may be behind the end.
  base::result<void> write(std::uint64_t offset, base::Bytes bytes);
  // Fills `into`. Errors: read_failed, also where the file ends before.
  base::result<void> read(std::uint64_t offset, std::span<std::byte> into) const;
  base::result<void> sync();
  // Errors: write_failed.
  base::result<void> cut(std::uint64_t size);

 private:
  int file_ = -1;
  std::uint64_t size_ = 0;
};

// Puts a file in place of another, or of none: when it returns, one of both is there whole, also
// after a power cut. Errors: write_failed.
base::result<void> replace_file(const std::filesystem::path& path, base::Bytes bytes);
// Brings names of files that were made, renamed or removed to the medium, as far as that can be.
void sync_folder(const std::filesystem::path& folder);

}  // namespace polytrace::collector
