// SPDX-License-Identifier: Apache-2.0
// Where a constructor's `this` becomes an object: no handler may cover code before it.
#pragma once

#include "agent/jvm/rewriter/classfile/constants.hpp"

namespace polytrace::agent::jvm::rewriter {

// The offset behind the call of this(..) or super(..); 0 when it is not found for certain.
// REQUIRES: code that was walked to its end before.
std::uint32_t initialized_from(View code, const Constants& constants, std::string_view this_class,
                               std::string_view super_class);

}  // namespace polytrace::agent::jvm::rewriter
