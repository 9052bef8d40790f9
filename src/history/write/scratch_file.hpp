// SPDX-License-Identifier: Apache-2.0
// A temporary file without a name, in $TMPDIR or /tmp: gone with the object, or with the process.
// One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::history {

// $TMPDIR, or /tmp.
std::string scratch_folder();

class ScratchFile {
 public:
  ScratchFile() = default;
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  // Creates the file with the first bytes.
  base::result<void> append(base::Bytes bytes);
  std::uint64_t size() const { return size_; }
  // What this process, and only it, can open to read the file from its start. REQUIRES: it was
  // created.
  std::string path() const;
  // Fills `into`. REQUIRES: that many bytes at `offset`.
  base::result<void> read(std::uint64_t offset, std::span<std::byte> into) const;

 private:
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace polytrace::history
