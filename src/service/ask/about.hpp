// SPDX-License-Identifier: Apache-2.0
// What this library is and can do.
#pragma once

#include <string>

namespace polytrace::service {

// {"schema": "polytrace.formats/1", ...}: all formats that can be read and written.
std::string formats_json();
// {"schema": "polytrace.version/1", ...}: version, compiler, and the formats by their names.
std::string version_json();

}  // namespace polytrace::service
