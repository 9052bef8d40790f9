// SPDX-License-Identifier: Apache-2.0
// history.bin as it is written: frames are appended, the header is written again at the end.
// Nothing else is ever changed in place. One thread at a time.
#pragma once

#include <string>

#include "base/io/appender.hpp"
#include "base/result.hpp"
#include "history/layout/container.hpp"

namespace polytrace::history {

class FrameFile {
 public:
  FrameFile() = default;
  FrameFile(FrameFile&& other) noexcept;
  FrameFile& operator=(FrameFile&& other) noexcept;
  ~FrameFile();

  // An existing file is refused with output_exists unless `replace`; it is replaced by name, so
  // that who has it open keeps the old one.
  static base::result<FrameFile> create(const std::string& path, bool replace);
  // A file without a name, in the folder for temporary files or in memory.
  static base::result<FrameFile> temporary();
  static base::result<FrameFile> in_memory();
  // To go on with a file whose first `size` bytes stay. Errors: open_failed, write_failed.
  static base::result<FrameFile> reopen(const std::string& path, std::uint64_t size);

  base::result<void> write_header(const FileHeader& header);
  // The offset of the frame. `compress` tries to.
  base::result<std::uint64_t> append(std::uint32_t kind, base::Bytes payload,
                                     bool compress = false);
  // Without padding behind it: the file's last bytes.
  base::result<void> append_trailer(base::Bytes bytes) { return write(bytes); }
  // Reads what was written.
  base::result<void> read(std::uint64_t offset, std::span<std::byte> into) const;
  base::result<void> sync();

  int descriptor() const { return fd_; }
  std::uint64_t size() const { return size_; }

 private:
  explicit FrameFile(int fd) : fd_(fd) {}
  base::result<void> write(base::Bytes bytes);

  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace polytrace::history
