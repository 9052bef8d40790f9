// SPDX-License-Identifier: Apache-2.0
// Names of methods: whole ones tell their class themselves, "Ns.Class:Method (int)"; bare ones, as
// Java's recorders tell them, do not.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::event {

inline bool is_bare_method_name(std::string_view name) {
  return name.find_first_of(".:(") == std::string_view::npos;
}

// "com.acme.Shop.main". REQUIRES: the name is bare.
inline std::string whole_method_name(std::string_view of_class, std::string_view name) {
  std::string whole(of_class);
  whole += '.';
  return whole += name;
}

}  // namespace polytrace::event
