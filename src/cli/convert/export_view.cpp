// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/export_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {
namespace {

std::string amount_text(std::uint64_t amount, analysis::Unit unit) {
  if (unit == analysis::Unit::bytes) return base::bytes_text(amount);
  if (unit != analysis::Unit::nanoseconds) return base::count_text(amount);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return base::duration_text(static_cast<std::int64_t>(std::min(amount, kMost)));
}

std::string export_text(const service::Exported& done, std::size_t number, bool brief) {
  const exports::Result& result = done.outputs[number].result;
  const auto count = [&](std::uint64_t value) { return base::count_text(value); };
  const std::string& name = done.outputs[number].file;
  std::string text =
      fmt::format("{}: {}", name == "-" ? "standard output" : printable(name), result.target->name);
  if (result.weight != nullptr)
    text += fmt::format(" of {} {}, {} of {}", result.weight->key,
                        amount_text(service::total_of(result), result.weight->unit),
                        base::count_text(result.stacks, "stack", "stacks"),
                        base::count_text(result.frames, "frame", "frames"));
  if (!done.written) text += "; NOT written";
  const exports::Account& account = result.account;
  const std::uint64_t sum = account.events_left_out();
  if (brief && sum != 0)
    text += fmt::format("; {} no place in it", base::count_text(sum, "event has", "events have"));
  if (brief && (sum != 0 || !account.notes.empty())) text += " (-v says more)";
  for (const exports::Cut& cut : account.cuts)
    text += fmt::format("\n  cut by {}: {} {}", cut.cap, count(cut.count), cut.what);
  if (brief) return text;
  if (sum != 0) text += fmt::format("\n  events that have no place in it: {}", count(sum));
  for (std::size_t i = 0; i < account.left_out.size(); ++i)
    if (account.left_out[i] != 0)
      text += fmt::format("\n    {:<24} {}", event::describe(static_cast<event::Kind>(i)).name,
                          count(account.left_out[i]));
  for (const std::string& note : account.notes) text += "\n  " + note;
  return text;
}

}  // namespace

void add_profile_options(OptionList& list, service::ProfileOptions& options) {
  const char* group = "Selection";
  list.add("--weight", options.weight,
           "What profiles add up (default: the first of these that the trace has)")
      .one_of(service::weight_keys())
      .takes("WEIGHT")
      .in(group);
  list.add("--limit", options.limit,
           "At most so many places in the tree of stacks, or events of a time line, the lightest "
           "or last cut; 0 = all (default: what the readers of the target can open)")
      .takes("COUNT")
      .in(group);
  list.add("--depth", options.depth, "At most so many frames of a stack, 0 = all")
      .takes("COUNT")
      .shows_default()
      .in(group);
  list.add("--show-helpers", options.show_helpers,
           "Show the runtime's own helper frames (wrappers); they count for their callers else")
      .in(group);
}

void tell_outputs(const Session& session, const service::Exported& done) {
  for (std::size_t i = 0; i < done.outputs.size(); ++i)
    session.remark(export_text(done, i, !session.common.verbose));
}

int tell_export(Session& session, const service::Asked<service::Exported>& done) {
  if (!done) return session.refuse(done.error());
  tell_notices(session, done->reading);
  const auto& outputs = done->outputs;
  if (session.common.json) {
    const bool is_free =
        std::ranges::find(outputs, "-", &service::Exported::Output::file) == outputs.end();
    if (is_free) session.out().text() += export_json(*done);
    else print(export_json(*done));
  } else {
    tell_outputs(session, *done);
  }
  return conclude(session, done->reading);
}

int tell_table_export(Session& session, const service::Asked<service::TableExport>& done) {
  if (!done) return session.refuse(done.error());
  tell_notices(session, done->reading);
  for (const base::Notice& remark : done->remarks) session.detail(notice_text(remark));
  std::uint64_t rows = 0;
  for (const sql::WrittenTable& table : done->tables) rows += table.rows;
  std::string text = fmt::format("{}: {}, {} of {}", printable(done->file), done->target->name,
                                 base::count_text(done->tables.size(), "table", "tables"),
                                 base::count_text(rows, "row", "rows"));
  if (!done->written) text += "; NOT written";
  if (session.common.json) session.out().text() += service::table_export_json(*done);
  else session.remark(text);
  return conclude(session, done->reading);
}

}  // namespace polytrace::cli
