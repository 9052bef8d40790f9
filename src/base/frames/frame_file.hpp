// SPDX-License-Identifier: Apache-2.0
// A file of frames as it is written: frames are appended, the head is written again. Nothing else
// is ever changed in place. One thread at a time.
#pragma once

#include <string>

#include "base/frames/frames.hpp"
#include "base/io/appender.hpp"
#include "base/result.hpp"

namespace polytrace::base {

class FrameFile {
 public:
  FrameFile() = default;
  FrameFile(FrameFile&& other) noexcept;
  FrameFile& operator=(FrameFile&& other) noexcept;
  ~FrameFile();

  // An existing file is refused with output_exists unless `replace`; it is replaced by name, so
  // that who has it open keeps the old one.
  static result<FrameFile> create(const std::string& path, bool replace);
  // A file without a name, in the folder for temporary files or in memory.
  static result<FrameFile> temporary();
  static result<FrameFile> in_memory();
  // To go on with a file whose first `size` bytes stay. Errors: open_failed, write_failed.
  static result<FrameFile> reopen(const std::string& path, std::uint64_t size);

  // Over the first bytes of the file, or as them.
  result<void> write_head(Bytes head) { return overwrite(0, head); }
  // Over bytes of the head, or as the first ones behind the file's end.
  result<void> overwrite(std::uint64_t offset, Bytes bytes);
  // The offset of the frame. `compress` tries to.
  result<std::uint64_t> append(std::uint32_t kind, Bytes payload, bool compress = false);
  // Of the frame that was appended last.
  const FrameHead& last_head() const { return last_head_; }
  // Without padding behind it: the file's last bytes.
  result<void> append_trailer(Bytes bytes) { return write(bytes); }
  // Reads what was written.
  result<void> read(std::uint64_t offset, std::span<std::byte> into) const;
  result<void> sync();

  int descriptor() const { return fd_; }
  std::uint64_t size() const { return size_; }

 private:
  explicit FrameFile(int fd) : fd_(fd) {}
  result<void> write(Bytes bytes);

  int fd_ = -1;
  std::uint64_t size_ = 0;
  FrameHead last_head_{};
};

}  // namespace polytrace::base
