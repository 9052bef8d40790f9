// SPDX-License-Identifier: Apache-2.0
// The small language in which case files spell bytes. Tokens are separated by white space, "#"
// starts a comment. A number is decimal or 0x..., maybe negative.
//
//   1f                     one byte as two hex digits
//   u8 u16 u32 u64 i8 i16 i32 i64 N    little endian, or big endian behind the word `big`
//   big  little            the byte order from here on, of f64 and block sizes too
//   uleb N  sleb N         LEB128
//   int N                  7 bits a byte, lowest first, the high bit on the last byte only
//   zig N                  LEB128 of a signed number's zigzag form: 0 -1 1 -2 are 0 1 2 3
//   f64 X                  IEEE double
//   str "..."              the text and a final 0; escapes as in canonical text
//   text "..."             the text alone
//   fill COUNT BYTE        COUNT times the same byte
//   name{ ... }            a block; `i32 @name` anywhere is its size in bytes
//   crc @name  crc name    CRC-32C of the block of that name that opens next, that was closed last;
//                          with what is filled in before, sizes and checksums on its left
//   let name VALUE         from now on $name stands for VALUE
//   default name VALUE     the same unless $name already stands for something
//   include FILE           as if the file (beside the case) stood here
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace polytrace::format::test {

// The error, usage, says the token that was not understood.
base::result<std::vector<std::byte>> assemble(std::string_view source,
                                              const std::filesystem::path& folder);

}  // namespace polytrace::format::test
