// SPDX-License-Identifier: Apache-2.0
// How the answers of `report` and `heap` look in each form.
#pragma once

#include "cli/options/table_output.hpp"
#include "service/ask/report.hpp"

namespace polytrace::cli {

// For people: what matters most and how to see the rest, or everything.
enum class Detail : std::uint8_t { brief, all };

// Shows the answer; the exit code.
int tell_answer(Session& session, service::TableAnswer answer, const TableOutput& output,
                Detail detail = Detail::all);

}  // namespace polytrace::cli
