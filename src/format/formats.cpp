// SPDX-License-Identifier: Apache-2.0
#include "format/format.hpp"

namespace polytrace::format {

#define FORMAT(name)           \
  namespace name {             \
  extern const Format kFormat; \
  }
#include "format/formats.def"
#undef FORMAT

namespace {

constexpr const Format* kFormats[] = {
#define FORMAT(name) &name::kFormat,
#include "format/formats.def"
#undef FORMAT
};

}  // namespace

std::span<const Format* const> formats() { return kFormats; }

}  // namespace polytrace::format
