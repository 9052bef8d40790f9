// SPDX-License-Identifier: Apache-2.0
// What `export` and `flame` have in common.
#pragma once

#include "cli/frame/session.hpp"
#include "service/convert/export_run.hpp"
#include "service/sql/table_export.hpp"

namespace polytrace::cli {

// --weight, --limit, --depth, --show-helpers.
void add_profile_options(OptionList& list, service::ProfileOptions& options);

// On standard error, for people: what was written and what was left out.
void tell_outputs(const Session& session, const service::Exported& done);
// The same, or why nothing was. Gives the exit code.
int tell_export(Session& session, const service::Asked<service::Exported>& done);
int tell_table_export(Session& session, const service::Asked<service::TableExport>& done);

}  // namespace polytrace::cli
