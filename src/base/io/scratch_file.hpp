// SPDX-License-Identifier: Apache-2.0
// A temporary file without a name, in $TMPDIR or /tmp: gone with the object, or with the process.
// One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::base {

// $TMPDIR, or /tmp.
std::string scratch_folder();

class ScratchFile {
 public:
  ScratchFile() = default;
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  // Creates the file with the first bytes.
  result<void> append(Bytes bytes);
  std::uint64_t size() const { return size_; }
  // What this process, and only it, can open to read the file from its start. REQUIRES: it was
  // created.
  std::string path() const;
  // Fills `into`. REQUIRES: that many bytes at `offset`.
  result<void> read(std::uint64_t offset, std::span<std::byte> into) const;
  // The descriptor of the file, created if it was not: the caller closes it, and nothing else of
  // this object is called again.
  result<int> release();

 private:
  result<void> create();

  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace polytrace::base
