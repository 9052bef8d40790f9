// SPDX-License-Identifier: Apache-2.0
// A file that is only appended to, whole pieces at a time: what could not be written whole is cut
// off again. One thread at a time.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

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

// Files of a folder by their numbers: "spool-00000000000000a3.blocks".
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

// Puts a file in place of another, or of none: when it returns, one of both is there whole, also
// after a power cut. Errors: write_failed.
base::result<void> replace_file(const std::filesystem::path& path, base::Bytes bytes);
// Brings names of files that were made, renamed or removed to the medium, as far as that can be.
void sync_folder(const std::filesystem::path& folder);

// --- what stands in them: heads, each with the bytes behind it ---
// A head tells whether it is one, so that reading goes on behind damage.

struct RecordHead {
  std::uint32_t length = 0;  // of what is behind it
  std::uint32_t crc = 0;     // CRC-32C of the rest of the head
  std::uint64_t key = 0;     // what it is of: a stream, a batch
  std::uint64_t place = 0;   // where in that
};
static_assert(sizeof(RecordHead) == 24);

RecordHead record_head(std::uint64_t key, std::uint64_t place, std::size_t length);

// Walks the records of a file.
class Records {
 public:
  explicit Records(base::Bytes bytes) : bytes_(bytes) {}

  // The next whole one; false at the end. What is none is passed over.
  bool next();
  const RecordHead& head() const { return head_; }
  base::Bytes payload() const { return payload_; }
  std::uint64_t offset() const { return at_; }      // of the head
  std::uint64_t end() const { return end_; }        // of the last record that next() gave
  std::uint64_t passed() const { return passed_; }  // bytes between records, so far

 private:
  bool is_record(std::size_t at);

  base::Bytes bytes_;
  RecordHead head_{};
  base::Bytes payload_{};
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::uint64_t passed_ = 0;
};

}  // namespace polytrace::collector
