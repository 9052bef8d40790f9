// SPDX-License-Identifier: Apache-2.0
// Names of methods: whole ones tell their class and their parameters themselves,
// "Ns.Class:Method (int)"; bare ones, as Java's recorders tell them, do not.
// Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::event {

inline bool is_bare_method_name(std::string_view name) {
  return name.find_first_of(".:(") == std::string_view::npos;
}

// The parameters of a signature in parentheses, "(int,java.lang.String[])": of a descriptor of the
// JVM ("(I[Ljava/lang/String;)V", JVMS 4.3.3) as Java writes them, of others as they were told.
// Empty where it tells none.
std::string parameters_of(std::string_view signature);

// "com.acme.Shop.main (java.lang.String[])": what `name` does not tell itself. `of_class` and
// `signature` may be empty.
std::string whole_method_name(std::string_view of_class, std::string_view name,
                              std::string_view signature);

}  // namespace polytrace::event
