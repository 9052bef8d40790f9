// SPDX-License-Identifier: Apache-2.0
// How faults read, and what was damaged or missing, as every command tells it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/notices.hpp"
#include "cli/frame/session.hpp"

namespace polytrace::cli {

// polytrace: FILE: offset 0x2f1a (buffer 17): sentence: detail
//   hint: what to do
std::string error_text(const base::Error& error, std::string_view file, const Terminal& terminal);

// " (12 times, 3.4 KiB not read)", or nothing for what occurred once and cost nothing.
std::string extent_text(const base::Notice& notice);
// "offset 0x2f1a (buffer 17): sentence: detail (12 times, 3.4 KiB not read)"
std::string notice_text(const base::Notice& notice);

// One line for the head of an answer that is partial, else nothing.
void append_partial_text(std::string& out, const service::Passed& passed, const Look& look);
// A loud section, or nothing when there is nothing to tell.
void append_notices_text(std::string& out, const service::Passed& passed, const Look& look);
void append_notices_markdown(std::string& out, const service::Passed& passed);

// Each notice and its hint on standard error, for commands whose result has no room for them.
void tell_notices(const Session& session, std::string_view file,
                  const std::vector<base::Notice>& notices);
void tell_notices(const Session& session, const service::Reading& reading);

// Of a pass. With --strict, a problem that costs nothing is a failed check, too.
int exit_code(const service::Passed& passed);
// Tells errors, and in one line that a result is partial. Returns the exit code of the pass.
int conclude(const Session& session, const service::Reading& reading);

}  // namespace polytrace::cli
