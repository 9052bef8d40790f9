// SPDX-License-Identifier: Apache-2.0
// Where the files of a bundle are: in a folder, or in a tar or zip of one, whose files are unpacked
// into temporary ones that go with the last copy of this object, however the process ends
// (docs/formats/state-history.md, "Files"). One thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/notices.hpp"
#include "base/result.hpp"

namespace polytrace::history {

inline constexpr std::string_view kHistoryFile = "history.bin";
inline constexpr std::string_view kTypesFile = "types.json";
inline constexpr std::string_view kTreeFile = "tree.json";
inline constexpr std::string_view kStateFile = "state.json";

// `folder`/`file`.
std::string file_in(std::string_view folder, std::string_view file);

class BundleFiles {
 public:
  // A folder, which nobody looks at yet.
  BundleFiles(std::string folder);
  // What is there: a folder, an archive, or a history.bin alone. An archive must have `chief`,
  // which is kHistoryFile or kStateFile. Errors: those of unpack().
  static base::result<BundleFiles> find(const std::string& path,
                                        std::string_view chief = kHistoryFile);

  // What to open for one of the four files. Where there is none, that fails, or this is empty.
  std::string path(std::string_view file) const;
  bool has(std::string_view file) const;
  bool is_folder() const { return kind_ == Kind::folder; }
  bool is_archive() const { return kind_ == Kind::archive; }
  // What was wrong with the archive, and what else is in it.
  const base::Notices& notices() const { return notices_; }
  // An error met in one of the files: archive_unusable where damage to the archive comes before it.
  base::Error explain(base::Error error, std::string_view file) const;

 private:
  enum class Kind : std::uint8_t { folder, archive, file };
  struct Content;

  Kind kind_ = Kind::folder;
  std::string path_;
  std::shared_ptr<const Content> content_{};
  base::Notices notices_{};
};

// What is written is written to a folder: a sentence for who names a file there. Errors: usage.
base::result<void> refuse_file(const std::string& folder);

}  // namespace polytrace::history
