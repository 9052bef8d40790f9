// SPDX-License-Identifier: Apache-2.0
// Of the trace as a whole: facts, the process, what reading it survived.
#include <fmt/format.h>

#include "base/codes.hpp"
#include "sql/tables/tables.hpp"
#include "sql/trace/rows.hpp"

namespace polytrace::sql {
namespace {

using event::Kind;
using Fact = std::pair<std::string, std::string>;

std::string number_text(std::uint64_t number) {
  return number == ~std::uint64_t{0} ? std::string() : fmt::format("{}", number);
}

std::vector<Fact> facts_of(const Trace& trace) {
  const store::Store& store = trace.store();
  const store::Facts facts = store.facts();
  const auto process = [&](std::string_view field) {
    return std::string(last_text(store, Kind::Process, field));
  };
  const auto wall = wall_at_zero(store);
  const std::size_t blank = facts.format.find(' ');
  std::vector<Fact> all{
      {"schema", "1.0"},
      {"path", trace.facts().file},
      {"format", facts.format.substr(0, blank)},
      {"version", blank == facts.format.npos ? std::string() : facts.format.substr(blank + 1)},
      {"index", trace.facts().index_state},
      {"partial", trace.facts().is_partial ? "1" : "0"},
      {"events", fmt::format("{}", facts.totals.events)},
      {"first_ts", fmt::format("{}", trace.start())},
      {"last_ts", fmt::format("{}", trace.end())},
      {"wall_offset", wall ? fmt::format("{}", *wall) : std::string()},
      {"pid", number_text(process_number(store))}};
  for (const std::string_view field :
       {"name", "command", "runtime", "runtime_version", "node", "host", "address", "os",
        "architecture", "agent", "agent_version", "options"})
    all.emplace_back(field, process(field));
  all.emplace_back("pointer_size", number_text(last_number(store, Kind::Process, "pointer_size")));
  std::erase_if(all, [](const Fact& fact) { return fact.second.empty(); });
  return all;
}

Value cell_of_process(const Trace& trace, int column) {
  using Columns = ProcessColumns;
  const store::Store& store = trace.store();
  const auto text = [&](std::string_view field) {
    return Value::told(last_text(store, Kind::Process, field));
  };
  const auto number = [](std::uint64_t told) {
    return told == ~std::uint64_t{0} || told == 0 ? Value() : Value::of(told);
  };
  switch (column) {
    case Columns::upid:
    case Columns::id: return Value::of(std::int64_t{0});
    case Columns::pid: return number(process_number(store));
    case Columns::name: return text("name");
    case Columns::cmdline: return text("command");
    case Columns::start_ts: return time_value(trace.start());
    case Columns::end_ts: return time_value(trace.end());
    case Columns::runtime: return text("runtime");
    case Columns::runtime_version: return text("runtime_version");
    case Columns::os: return text("os");
    case Columns::architecture: return text("architecture");
    case Columns::host: return text("host");
    case Columns::pointer_size: return number(last_number(store, Kind::Process, "pointer_size"));
    default: return {};
  }
}

struct NoticeRow {
  std::string_view code;
  std::uint64_t count;
  std::uint64_t bytes;
  std::uint64_t offset;
  std::string message;
};

std::vector<NoticeRow> notices_of(const store::Store& store) {
  std::vector<NoticeRow> all;
  for (const base::Notice& notice : store.notices().sorted()) {
    const base::CodeInfo& code = base::describe(notice.code);
    std::string message(code.sentence);
    if (!notice.detail.empty()) message += ": " + notice.detail;
    all.push_back({code.name, notice.count, notice.bytes, notice.first.offset, std::move(message)});
  }
  return all;
}

Value cell_of_notice(const NoticeRow& notice, int column) {
  using Columns = NoticeColumns;
  switch (column) {
    case Columns::code: return Value::of(notice.code);
    case Columns::count: return Value::of(notice.count);
    case Columns::bytes: return Value::of(notice.bytes);
    case Columns::source_offset:
      return notice.offset == base::kNoOffset ? Value() : Value::of(notice.offset);
    default: return Value::of(std::string_view(notice.message));
  }
}

}  // namespace

TablePointer trace_info_table(const TracePointer& trace) {
  const auto facts = std::make_shared<const std::vector<Fact>>(facts_of(*trace));
  return std::make_unique<ListedTable>(
      TableId::TraceInfo, -1, [=] { return std::uint64_t{facts->size()}; },
      [=](std::uint64_t row, int column) {
        const Fact& fact = (*facts)[row];
        return Value::of(
            std::string_view(column == TraceInfoColumns::key ? fact.first : fact.second));
      });
}

TablePointer process_table(const TracePointer& trace) {
  return std::make_unique<ListedTable>(
      TableId::Process, ProcessColumns::upid, [] { return std::uint64_t{1}; },
      [=](std::uint64_t, int column) { return cell_of_process(*trace, column); });
}

TablePointer notice_table(const TracePointer& trace) {
  const auto all = std::make_shared<const std::vector<NoticeRow>>(notices_of(trace->store()));
  return std::make_unique<ListedTable>(
      TableId::Notice, -1, [=] { return std::uint64_t{all->size()}; },
      [=](std::uint64_t row, int column) { return cell_of_notice((*all)[row], column); });
}

}  // namespace polytrace::sql
