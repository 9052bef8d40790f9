// SPDX-License-Identifier: Apache-2.0
#include "format/format.hpp"

namespace polytrace::format {

#define FORMAT(folder, descriptor) \
  namespace folder {               \
  extern const Format descriptor;  \
  }
#include "format/formats.def"
#undef FORMAT

namespace {

constexpr const Format* kFormats[] = {
#define FORMAT(folder, descriptor) &folder::descriptor,
#include "format/formats.def"
#undef FORMAT
};

}  // namespace

std::span<const Format* const> formats() { return kFormats; }

}  // namespace polytrace::format
