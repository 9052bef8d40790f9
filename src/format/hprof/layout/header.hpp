// SPDX-License-Identifier: Apache-2.0
// The head of a file (docs/formats/hprof.md, section 2).
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::format::hprof {

inline constexpr std::string_view kMagic = "JAVA PROFILE ";

struct Header {
  std::string_view version;  // "1.0.2"
  std::size_t id_size = 8;   // 4 or 8
  base::Time start = 0;      // nanoseconds since 1970
  std::size_t bytes = 0;
};

inline constexpr std::size_t kHeaderBytes = kMagic.size() + 6 + 4 + 8;  // of all versions

bool looks_like_hprof(base::Bytes head);
// REQUIRES: looks_like_hprof().
base::result<Header> read_header(base::Bytes head);

}  // namespace polytrace::format::hprof
