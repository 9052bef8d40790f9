// SPDX-License-Identifier: Apache-2.0
// Names as events have them: java.lang.String, int[][].
#pragma once

#include <string>
#include <string_view>

namespace polytrace::agent::jvm {

// java/lang/String as java.lang.String.
std::string dotted(std::string_view name);
// Of a class as a class file's pool or a descriptor names it: java/lang/String, [[I,
// Ljava/lang/String;. Hidden classes (lambdas) of one class have one name.
std::string class_name(std::string_view name);

}  // namespace polytrace::agent::jvm
