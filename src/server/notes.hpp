// SPDX-License-Identifier: Apache-2.0
// What somebody wrote down about a trace: JSON that the page makes and reads, kept in the user's
// folder for states, since a trace's own may not be written to. Any thread; processes that write at
// once do not mix, the last one stays.
#pragma once

#include <string>

#include "base/result.hpp"

namespace polytrace::server {

struct Notes {
  std::string text = "{}";
  std::string tag{};  // of the content, quoted as an ETag
};
// Errors: read_failed. Where there are none: an empty object.
base::result<Notes> load_notes(const std::string& trace_id);
// Errors: write_failed, also where there is no such folder.
base::result<Notes> keep_notes(const std::string& trace_id, const std::string& text);

}  // namespace polytrace::server
