// SPDX-License-Identifier: Apache-2.0
// Whose the streams are, over a restart: a small file each. One thread at a time.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "collector/flow/owner.hpp"

namespace polytrace::collector {

class OwnerBook {
 public:
  // Makes the folder, mode 0700. Errors: open_failed.
  static base::result<OwnerBook> open(std::filesystem::path folder);

  base::result<void> note(std::uint64_t stream, const Owner& owner) const;
  // Nothing: not noted, or not to be read.
  std::optional<Owner> find(std::uint64_t stream) const;
  void forget(std::uint64_t stream) const;

 private:
  explicit OwnerBook(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file_of(std::uint64_t stream) const;

  std::filesystem::path folder_;
};

// Makes a folder, and those above it that are missing, that nobody else can enter. One that is
// there must be ours. Errors: open_failed.
base::result<void> make_folder(const std::filesystem::path& folder);
// A name that this folder has for good: made at random once.
base::result<std::string> name_of_folder(const std::filesystem::path& folder);
// The wall time when it got that name.
base::Time begin_of_folder(const std::filesystem::path& folder);

}  // namespace polytrace::collector
