// SPDX-License-Identifier: Apache-2.0
#include "cli/index/index_view.hpp"

#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/show/tables.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {
namespace {

using analysis::Unit;
using service::IndexAccount;
using service::IndexStanding;

std::string each_event(std::uint64_t bytes, std::uint64_t events) {
  if (events == 0) return {};
  return fmt::format("{:.2f}", static_cast<double>(bytes) / static_cast<double>(events));
}

std::string size_text(const IndexAccount& account) {
  const std::string each = each_event(account.bytes, account.totals.events);
  return base::bytes_text(account.bytes) +
         (each.empty() ? each : fmt::format(", {} bytes an event", each));
}

std::string state_text(const IndexAccount& account) {
  switch (account.standing) {
    case IndexStanding::none: return "no index";
    case IndexStanding::current: return "index is current";
    case IndexStanding::stale: return "index is stale: " + account.detail;
    case IndexStanding::damaged: return "index is damaged: " + account.detail;
    case IndexStanding::building: return "index is not complete: " + account.detail;
  }
  return {};
}

analysis::Table frame_table(const IndexAccount& account) {
  analysis::Table table{.key = "frames",
                        .section = "index",
                        .title = "Bytes by kind of frame",
                        .columns = {{"bytes", "size", Unit::bytes},
                                    {"per_event", "bytes/event", Unit::count},
                                    {"count", "frames", Unit::count},
                                    {"kind", "kind", Unit::none},
                                    {"holds", "what it holds", Unit::none}},
                        .rows = {},
                        .notes = {}};
  for (const service::FrameSum& sum : account.frames) {
    analysis::Cell each;
    if (account.totals.events != 0)
      each = static_cast<double>(sum.bytes) / static_cast<double>(account.totals.events);
    table.rows.push_back({sum.bytes, each, sum.frames, sum.kind, std::string(sum.holds)});
  }
  return table;
}

void append_facts(std::string& out, const IndexAccount& account) {
  const store::Totals& totals = account.totals;
  const auto row = [&](std::string_view what, const std::string& value) {
    out += fmt::format("  {:<12}{}\n", what, value);
  };
  const std::size_t width = base::count_text(totals.events).size();
  const auto count = [&](std::string_view what, std::uint64_t number) {
    out += fmt::format("  {:<12}{:>{}}\n", what, base::count_text(number), width);
  };
  row("size", size_text(account));
  row("trace",
      fmt::format("{}, {}", printable(account.format), base::bytes_text(account.source_size)));
  if (totals.first != base::kNoTime)
    row("span", base::duration_text(base::elapsed(totals.first, totals.last)));
  count("events", totals.events);
  count("call blocks", totals.blocks);
  count("paths", totals.paths);
  count("methods", totals.methods);
  count("classes", totals.classes);
  count("threads", totals.threads);
  count("texts", totals.texts);
}

// "2026-11-21 10:00", of UTC.
std::string minute_text(std::int64_t wall) {
  constexpr std::size_t kDay = 10;
  constexpr std::size_t kMinute = 16;
  std::string text = base::wall_text(wall).substr(0, kMinute);
  if (text.size() > kDay) text[kDay] = ' ';
  return text;
}

std::string name_of(const service::CachedIndex& index) {
  return index.file.empty() ? index.folder : index.file;
}

}  // namespace

void add_index_subject(OptionList& list, IndexSubject& subject) {
  list.add("FILE", subject.file, "The trace").takes("FILE").required().in("Input");
  add_index_place(list, subject.folder);
}

void append_headline(std::string& out, const IndexAccount& account) {
  const std::string name = printable(account.file);
  if (account.is_there())
    out +=
        fmt::format("{}: index of {}, {}\n", name,
                    base::count_text(account.totals.events, "event", "events"), size_text(account));
  else out += fmt::format("{}: {}\n", name, printable(state_text(account)));
  if (!account.folder.empty()) out += fmt::format("  in {}\n", printable(account.folder));
}

void append_account(std::string& out, const IndexAccount& account, const Look& look) {
  out += fmt::format("{}: {}\n", printable(account.file), printable(state_text(account)));
  if (!account.folder.empty())
    out += fmt::format("  {:<12}{}\n", account.is_there() ? "in" : "would be in",
                       printable(account.folder));
  if (!account.is_there()) return;
  append_facts(out, account);
  append_text(out, frame_table(account), look);
  if (account.notices.empty() && !account.error) return;
  out += "\nNotices of the trace\n";
  for (const base::Notice& notice : account.notices)
    out += fmt::format("  {}\n", notice_text(notice));
  if (account.error) out += fmt::format("  {}\n", printable(base::to_text(*account.error)));
}

void append_indexes(std::string& out, std::string title,
                    const std::vector<service::CachedIndex>& indexes, const Look& look) {
  if (indexes.empty()) return;
  analysis::Table table{.key = "indexes",
                        .section = "index",
                        .title = std::move(title),
                        .columns = {{"bytes", "size", Unit::bytes},
                                    {"events", "events", Unit::count},
                                    {"used", "last used (UTC)", Unit::none},
                                    {"state", "state", Unit::none},
                                    {"file", "trace", Unit::none}},
                        .rows = {},
                        .notes = {}};
  for (const service::CachedIndex& index : indexes) {
    const bool whole = index.standing == IndexStanding::current;
    table.rows.push_back({index.bytes, index.events, minute_text(index.used),
                          std::string(whole ? "complete" : service::word_of(index.standing)),
                          name_of(index)});
  }
  append_text(out, table, look);
}

void append_dropped(std::string& out, const service::Dropped& dropped, const Look& look) {
  out += fmt::format("{} removed, {}\n", base::count_text(dropped.gone.size(), "index", "indexes"),
                     base::bytes_text(dropped.bytes()));
  append_indexes(out, "Removed", dropped.gone, look);
  for (const std::string& folder : dropped.busy)
    out += fmt::format("  in use, left: {}\n", printable(folder));
}

}  // namespace polytrace::cli
