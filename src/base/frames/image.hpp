// SPDX-License-Identifier: Apache-2.0
// The bytes of a history file, mapped or in memory. kReadable bytes behind the last one can be read
// too: they are 0 or more of the file. Moving keeps the bytes where they are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::base {

class Image {
 public:
  // Errors: open_failed, read_failed.
  static result<Image> map(const std::string& path);
  // The first `size` bytes of an open file, which may go on growing.
  static result<Image> map(int descriptor, std::uint64_t size);
  // The same with bytes behind them that only this has.
  static result<Image> map(int descriptor, std::uint64_t size, Bytes behind);
  static result<Image> read(const std::string& path);
  static Image of(std::vector<std::byte> bytes);

  Image() = default;
  Image(Image&& other) noexcept;
  Image& operator=(Image&& other) noexcept;
  ~Image();

  Bytes bytes() const { return {at_, size_}; }
  // Asks for a part in one request, ahead of touching it.
  void want(std::uint64_t offset, std::uint64_t length) const;
  // False when the file has become shorter than what is mapped, which must not be touched then.
  bool intact() const;

 private:
  const std::byte* at_ = nullptr;
  std::size_t size_ = 0;
  std::size_t in_file_ = 0;  // of these
  std::size_t mapped_ = 0;   // bytes of address space; 0 when the bytes are in memory_
  int fd_ = -1;
  std::vector<std::byte> memory_;
};

}  // namespace polytrace::base
