// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/operate/operation.hpp"

#include <ctime>

#include "cli/show/tables.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {

void FleetOperation::define(OptionList& list) { store_.add_to(list); }

int FleetOperation::run(Session& session) {
  const auto report = work(session, store_);
  if (!report) return session.fail(report.error());
  return tell_report(session, *report);
}

int tell_report(Session& session, const fleet::Report& report) {
  std::string& out = session.out().text();
  if (session.common.json) {
    out += fleet::report_json(report);
  } else {
    for (const std::string& line : fleet::report_lines(report)) out += printable(line) + '\n';
    for (const analysis::Table& table : report.tables) append_text(out, table, session.look());
  }
  return report.is_right ? 0 : 4;
}

std::uint32_t seconds_now() { return static_cast<std::uint32_t>(std::time(nullptr)); }

}  // namespace polytrace::cli
