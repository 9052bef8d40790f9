// SPDX-License-Identifier: Apache-2.0
// Names that are longer than a reader takes. Pure; thread-safe.
#pragma once

#include <string>

namespace polytrace::base {

// The name, or where it has more than `most` bytes its beginning and its end with "...#<hash>..."
// between them: different names stay different, and the end is where methods have what tells them
// apart. No character is cut in two. REQUIRES: most >= 64.
std::string short_name(std::string name, std::size_t most);

}  // namespace polytrace::base
