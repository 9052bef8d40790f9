// SPDX-License-Identifier: Apache-2.0
// Texts of a stream to UTF-8. Every set agrees with ASCII below 0x80. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::format::tptp {

// Those known follow each other in charset.cpp.
enum class Charset : unsigned char { utf8, ascii, latin1 };

struct NamedCharset {
  enum class Verdict : unsigned char {
    known,
    unknown,  // `charset` is latin1, which keeps every byte
    illegal,  // texts in it have zeros inside
  };
  Verdict verdict = Verdict::unknown;
  Charset charset = Charset::latin1;
};

// By a name as streams give it: case, '-' and '_' do not count.
NamedCharset find_charset(std::string_view name);

// Whether `text` is the same in every charset.
bool is_ascii(std::string_view text);

// Appends `text` as UTF-8. What is ill-formed or has no character becomes U+FFFD, one for each
// maximal part; false then. Modified UTF-8 (C0 80 for zero, surrogate pairs) is repaired silently.
bool append_utf8(std::string& out, std::string_view text, Charset charset);

}  // namespace polytrace::format::tptp
