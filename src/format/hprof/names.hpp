// SPDX-License-Identifier: Apache-2.0
// Names of classes as people write them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::format::hprof {

// "java/lang/String" is java.lang.String, "[Lcom/acme/Item;" com.acme.Item[], "[[I" int[][].
std::string class_name(std::string_view name);

}  // namespace polytrace::format::hprof
