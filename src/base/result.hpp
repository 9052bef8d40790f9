// SPDX-License-Identifier: Apache-2.0
// Errors are values with a place. A function that can fail returns result<T>; faults that can be
// survived are counted in Notices (notices.hpp). Nothing throws across a room's door.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace polytrace::base {

// Which fault. Who names one includes base/codes.hpp, which has the list; most of what carries a
// result needs none of it and is not compiled anew for a new code.
enum class Code : std::uint16_t;

inline constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};

// Where: a byte offset in the (decompressed) stream, or a line and column of a text.
struct Place {
  std::uint64_t offset = kNoOffset;
  std::uint32_t line = 0;    // 1-based, 0 = none
  std::uint32_t column = 0;  // 1-based, 0 = none
  std::string frame{};       // the enclosing construct, for example "buffer 17"
};

// Its members are functions of result.cpp: inlined in every function that can fail they would be
// 4 % of the code.
struct Error {
  Code code{};
  Place place{};
  std::string detail{};  // what exactly: the value met, the system's message

  Error();
  Error(Code code, Place place = {}, std::string detail = {});
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();
};

template <class T>
using result = tl::expected<T, Error>;

using Unexpected = tl::unexpected<Error>;

Unexpected fail(Code code, std::string detail = {}, Place place = {});

// What the last system call of this thread failed with, by errno.
Unexpected system_fault(Code code);

// "offset 0x2f1a (buffer 17): unknown record kind: type 15". Without file name.
std::string to_text(const Error& error);
std::string to_text(const Place& place);

}  // namespace polytrace::base
