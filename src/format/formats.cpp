// SPDX-License-Identifier: Apache-2.0
#include "format/format.hpp"

namespace polytrace::format {

namespace {

constexpr const Format* kFormats[] = {
#define FORMAT(folder, descriptor) &folder::descriptor,
#include "format/formats.def"
#undef FORMAT
};

}  // namespace

std::span<const Format* const> formats() { return kFormats; }

}  // namespace polytrace::format
