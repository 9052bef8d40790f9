// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/show/tables.hpp"
#include "cli/show/text_room.hpp"
#include "service/ask/contents.hpp"
#include "slice/names.hpp"

namespace polytrace::cli {
namespace {

using analysis::Table;
using analysis::Unit;
using base::kNoTime;
using event::Tally;

class Lines {
 public:
  Lines(std::string& out, const Look& look) : out_(out), look_(look) {}
  void add(std::string_view name, std::string_view value) {
    std::string label(name);
    label.resize(std::max<std::size_t>(label.size() + 1, 18), ' ');
    out_ += "  " + paint(look_.terminal, Style::faint, label) + printable(value) + '\n';
  }

 private:
  std::string& out_;
  const Look& look_;
};

std::string words(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

void add_process(Lines& lines, const service::Overview& overview) {
  if (overview.pid != base::kNoId) lines.add("process", fmt::format("{}", overview.pid));
  for (const service::Fact& fact : overview.process) {
    if (const auto* text = std::get_if<std::string>(&fact.value))
      lines.add(words(fact.name), *text);
    else lines.add(words(fact.name), fmt::format("{}", std::get<std::uint64_t>(fact.value)));
  }
}

void add_times(Lines& lines, const service::Overview& overview) {
  if (overview.wall != kNoTime) lines.add("recorded", base::wall_text(overview.wall));
  if (overview.first == kNoTime) return;
  lines.add("duration", base::duration_text(overview.span()));
  lines.add("clock", fmt::format("{} to {} ns", overview.first, overview.last));
  if (!overview.cut_off.empty()) lines.add("cut off", overview.cut_off);
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

Table kinds_table(const service::Overview& overview) {
  Table table{.key = "events",
              .section = "events",
              .title = "Events",
              .columns = {},
              .rows = {},
              .notes = {}};
  table.columns = {{"kind", "Kind", Unit::none},
                   {"count", "Count", Unit::count},
                   {"share", "Share", Unit::percent}};
  for (std::size_t i = 0; i < overview.events.size(); ++i) {
    if (overview.events[i] == 0) continue;
    const auto& info = event::describe(static_cast<event::Kind>(i));
    table.rows.push_back(
        {std::string(info.name), overview.events[i], share(overview.events[i], overview.total())});
  }
  std::sort(table.rows.begin(), table.rows.end(),
            [](const auto& a, const auto& b) { return a[1] == b[1] ? a[0] < b[0] : b[1] < a[1]; });
  return table;
}

Table records_table(const service::Reading& reading) {
  const Tally& tally = reading.passed.outcome.tally;
  Table table{.key = "records",
              .section = "records",
              .title = fmt::format("Records of the format ({})", reading.origin.format->name),
              .columns = {},
              .rows = {},
              .notes = {}};
  table.columns = {{"record", "Record", Unit::none},
                   {"count", "Count", Unit::count},
                   {"bytes", "Bytes", Unit::bytes}};
  for (std::size_t i = 0; i < tally.records.size(); ++i) {
    const Tally::Records& records = tally.records[i];
    if (records.count == 0) continue;
    table.rows.push_back({reading.origin.format->record_name(static_cast<std::uint8_t>(i)),
                          records.count, records.bytes});
  }
  return table;
}

Table threads_table(const service::Overview& overview, std::uint64_t limit) {
  Table table{.key = "threads",
              .section = "threads",
              .title = "Threads",
              .columns = {},
              .rows = {},
              .notes = {}};
  table.columns = {{"thread", "Thread", Unit::address}, {"name", "Name", Unit::none},
                   {"events", "Events", Unit::count},   {"first", "First event", Unit::time},
                   {"last", "Last event", Unit::time},  {"ends", "Ends seen", Unit::count}};
  for (const service::ThreadSpan& thread : overview.threads) {
    if (limit != 0 && table.rows.size() == limit) {
      table.rows_left_out = overview.threads.size() - limit;
      break;
    }
    const std::string name =
        thread.id == base::kNoId ? slice::thread_text({.id = thread.id}) : thread.name;
    table.rows.push_back({thread.id, name, thread.events, thread.first, thread.last, thread.lives});
  }
  return table;
}

void append_info_text(std::string& out, const service::Contents& contents,
                      std::uint64_t thread_limit, const Look& look) {
  const service::Origin& origin = contents.reading.origin;
  const format::Format& format = *origin.format;
  const service::Overview& overview = contents.overview;
  const Tally& tally = contents.reading.passed.outcome.tally;
  out += paint(look.terminal, Style::heading, printable(origin.file)) + '\n';
  Lines lines(out, look);
  lines.add("format",
            fmt::format("{} ({}), version {}", format.title, format.name, origin.version));
  const auto compression = service::compression_name(origin.file);
  if (compression == "gzip" || compression == "zstd") lines.add("compressed", compression);
  if (contents.size) lines.add("size", base::bytes_text(*contents.size));
  add_process(lines, overview);
  add_times(lines, overview);
  lines.add("threads", base::count_text(overview.thread_count()));
  lines.add("events", base::count_text(overview.total()));
  lines.add("frames", base::count_text(tally.frames));
  if (tally.time_wraps != 0) lines.add("time steps back", base::count_text(tally.time_wraps));
  Look since_start = look;
  since_start.start = overview.first;
  append_text(out, kinds_table(overview), look);
  append_text(out, records_table(contents.reading), look);
  append_text(out, threads_table(overview, thread_limit), since_start);
  append_notices_text(out, contents.reading.passed, look);
}

class Info final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "info",
        "[OPTIONS] FILE",
        "Reads the whole trace and says what it is: format and version, who recorded it and with "
        "which options, how long it took, its threads, how many events of which kind it has, and "
        "everything in it that is damaged or missing.",
        {{"what is this file?", "polytrace info app.mlpd"},
         {"the number of events, for a script",
          "polytrace info --json app.mlpd | jq .events.total"},
         {"from a pipe", "zcat app.mlpd.gz | polytrace info -"}},
        {0, 1, 2, 3, 4, 6, 130},
        "docs/reference/json.md, polytrace report"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {.pager = true}; }
  void define(OptionList& list) override {
    add_input_options(list, input_, Following::offered);
    list.add("--limit", limit_, "Threads to list, 0 = all")
        .takes("COUNT")
        .shows_default()
        .in("Output");
  }
  int run(Session& session) override {
    const service::Input input(input_, session.asking());
    const auto contents = service::ask_contents(input);
    if (!contents) return session.refuse(contents.error());
    session.page();
    std::string& out = session.out().text();
    if (session.common.json) out += info_json(*contents);
    else append_info_text(out, *contents, limit_, session.look());
    return conclude(session, contents->reading);
  }

 private:
  service::InputOptions input_;
  std::uint64_t limit_ = 20;
};

}  // namespace

std::unique_ptr<Command> make_info() { return std::make_unique<Info>(); }

}  // namespace polytrace::cli
