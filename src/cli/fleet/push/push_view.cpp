// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/push/push_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/figure_text.hpp"
#include "base/text/terminal_text.hpp"
#include "base/text/wall_time.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {
namespace {

constexpr int kPartly = 4, kStopped = 130;
constexpr base::Time kSecondsToNs = 1'000'000'000;
// What stores keep of rows of 10 s unless told otherwise (docs/fleet.md).
constexpr base::Time kKept = 48 * 3600 * kSecondsToNs;

void warn(const Session& session, const collector::Pushed& pushed, base::Time now) {
  const std::string& file = pushed.reading.origin.file;
  if (pushed.refused != 0)
    session.remark(fmt::format("{}: refused {} at impossible times", file,
                               base::count_text(pushed.refused, "event", "events")));
  if (pushed.refused_time != 0)
    session.remark(fmt::format("{}: refused {} of calls at impossible times", file,
                               base::duration_text(pushed.refused_time)));
  if (pushed.messages == 0 && pushed.first != base::kNoTime && pushed.first < now - kKept)
    session.remark(
        fmt::format("{}: it is of {}: a store that keeps rows of 10 s for 48 h drops it with "
                    "the next clean-up; --at gives another time",
                    file, base::wall_text(pushed.first)));
}

void tell(Session& session, const collector::Pushed& pushed) {
  std::string& out = session.out().text();
  out += fmt::format("{}: {} in {}, service {}, series {:#x}\n", pushed.reading.origin.file,
                     base::count_text(pushed.events, "event", "events"),
                     base::count_text(pushed.rows, "row", "rows"),
                     base::printable(pushed.labels.service), pushed.ids.series);
  if (pushed.messages != 0)
    out += fmt::format("  in {}\n", base::count_text(pushed.messages, "request", "requests"));
  if (pushed.first != base::kNoTime)
    out += fmt::format("  from {} to {}\n", base::wall_text(pushed.first),
                       base::wall_text(pushed.last));
  if (pushed.before != 0) out += "  the store had it before: what is there was replaced\n";
  session.out().flush();
}

int tell_of_hub(Session& session, const std::string& file, const collector::HubPushed& done,
                base::Time now) {
  int code = done.worst;
  for (const std::string& notice : done.notices) session.remark(file + ": " + printable(notice));
  for (const collector::Pushed& one : done.pushed)
    code = std::max(code, tell_pushed(session, one, now));
  if (done.left_out != 0)
    session.remark(fmt::format("{}: {} more are not told", file,
                               base::count_text(done.left_out, "process", "processes")));
  if (!session.common.json)
    session.out().text() +=
        fmt::format("  {} of {} sent\n", base::bytes_text(done.sent), base::bytes_text(done.size));
  return code;
}

}  // namespace

int tell_pushed(Session& session, const collector::Pushed& pushed, base::Time now) {
  warn(session, pushed, now);
  if (!session.common.json) tell(session, pushed);
  return pushed.refused != 0 || pushed.refused_time != 0 ? kPartly : 0;
}

int push_files_to_hub(Session& session, const std::vector<std::string>& files,
                      const collector::PushQuery& query, const collector::HubOptions& hub,
                      base::Time now) {
  int code = 0;
  std::uint64_t left_out = 0;
  std::string traces;
  for (const std::string& file : files) {
    const auto done = collector::push_to_hub(
        file, query, hub, session.asking(),
        [&](const std::string& why) { session.remark("trying again: " + why); });
    if (!done && session.asking().is_stopped()) {
      session.remark(file + ": stopped: the same command goes on where it was");
      return kStopped;
    }
    if (!done) {
      code = std::max(code, session.fail(done.error(), file));
      continue;
    }
    code = std::max(code, tell_of_hub(session, file, *done, now));
    traces += (traces.empty() || done->traces.empty() ? "" : ",") + done->traces;
    left_out += done->left_out;
  }
  if (session.common.json)
    session.out().text() +=
        fmt::format("{{\"schema\":\"polytrace.push/1\",\"traces\":[{}]{}}}\n", traces,
                    left_out == 0 ? "" : fmt::format(",\"traces_left_out\":{}", left_out));
  return code;
}

}  // namespace polytrace::cli
