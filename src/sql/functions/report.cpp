// SPDX-License-Identifier: Apache-2.0
// The tables of a report as functions: report_<key>(t0, t1), for each table that a section has. Its
// columns are those of the table, so what a section shows is in SQL as soon as it shows it.
#include <fmt/format.h>

#include <deque>
#include <map>
#include <mutex>

#include "analysis/report/report.hpp"
#include "base/codes.hpp"
#include "sql/functions/functions.hpp"

namespace polytrace::sql {
namespace {

using analysis::Cell;
using analysis::Unit;

struct SectionAnswer {
  std::vector<analysis::Table> tables{};
  std::vector<std::string> limits{};  // that were reached: what became of the rest
};

// The sections of a report, as `polytrace report --all --show-helpers` has them: made of all events
// when they are first asked for, the last answer of each kept. Any thread, one at a time.
class Reports {
 public:
  // The store must outlive it.
  explicit Reports(const store::Store& store) : store_(store) {}

  // Of [from, to). No section: all of them. `stop` may be null. Errors: those of the index;
  // query_timeout when asked to stop.
  base::result<std::shared_ptr<const SectionAnswer>> of(const analysis::Section* section,
                                                        base::Time from, base::Time to,
                                                        const std::atomic<bool>* stop) const;
  // Every table that a report can have, with its section; rows are of no meaning.
  static std::vector<analysis::Table> shapes();

 private:
  struct Kept {
    std::pair<base::Time, base::Time> span;
    std::shared_ptr<const SectionAnswer> answer;
  };

  const store::Store& store_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::map<const analysis::Section*, Kept> kept_;
};

analysis::HeapObjects objects_of(const store::Store& store) {
  const std::string source = store.facts().format;
  const auto* const format = format::find_format(source.substr(0, source.find(' ')));
  return format == nullptr ? analysis::HeapObjects::may_be_bare : analysis::objects_of(*format);
}

base::result<std::shared_ptr<const SectionAnswer>> Reports::of(
    const analysis::Section* section, base::Time from, base::Time to,
    const std::atomic<bool>* stop) const {
  const std::lock_guard lock(mutex_);
  const std::pair span{from, to};
  if (const auto known = kept_.find(section); known != kept_.end() && known->second.span == span)
    return known->second.answer;
  slice::Selection selection;
  selection.from = from;
  selection.to = to;
  selection.show_helpers = true;
  std::vector<const analysis::Section*> chosen;
  if (section != nullptr) chosen.push_back(section);
  analysis::Report report(chosen, selection, objects_of(store_));
  const auto reader = store_.reader();
  const event::PumpOutcome outcome = event::pump(*reader, report, {.stop = stop});
  if (stop != nullptr && *stop) return base::fail(base::Code::query_timeout, "stopped");
  if (outcome.error) return tl::unexpected(*outcome.error);
  report.finish();
  const analysis::TableOptions whole{.sort = "", .limit = 0};
  auto answer =
      std::make_shared<const SectionAnswer>(SectionAnswer{report.tables(whole), report.limits()});
  kept_[section] = {span, answer};
  return answer;
}

// Some sections have no tables where nothing was allocated, and none where nothing is known to have
// died: one object that came and went gives all of them.
std::vector<analysis::Table> Reports::shapes() {
  constexpr base::Id kObject = 8;
  event::Batch batch;
  const std::uint16_t thread = batch.thread_slot(1);
  event::Alloc alloc;
  alloc.object = kObject;
  alloc.size = 1;
  batch.add(0, thread, 1, alloc);
  batch.add(1, thread, kObject, event::Free{});
  analysis::Report report({}, {});
  report.consume(batch);
  report.finish();
  return report.tables({});
}

struct ReportTable {
  std::string key;
  const analysis::Section* section;
  std::deque<std::string> texts{};  // of the info
  TableInfo info{};
};

// Words that an engine takes for its own.
constexpr std::string_view kReserved[]{"from", "references", "to", "values", "window"};

std::string column_word(const std::string& key) {
  const bool is_reserved = std::ranges::find(kReserved, key) != std::end(kReserved);
  return is_reserved ? key + "_" : key;
}

Type type_of(const analysis::ColumnInfo& column) {
  if (column.key == "average" || column.unit == Unit::percent) return Type::real;
  if (column.unit == Unit::address) return Type::text;
  return column.unit == Unit::none ? Type::null : Type::integer;
}

std::string_view unit_word(Unit unit) {
  switch (unit) {
    case Unit::count: return "count";
    case Unit::bytes: return "bytes";
    case Unit::nanoseconds:
    case Unit::time: return "ns";
    case Unit::percent: return "percent";
    default: return {};
  }
}

std::unique_ptr<ReportTable> made_of(const analysis::Table& shape) {
  auto table =
      std::make_unique<ReportTable>(ReportTable{shape.key, analysis::find_section(shape.section)});
  const auto kept = [&](std::string text) -> std::string_view {
    return table->texts.emplace_back(std::move(text));
  };
  table->info.name = kept("report_" + shape.key);
  table->info.meaning =
      kept(fmt::format("of a report's section {}: {}", shape.section, shape.title));
  table->info.is_function = true;
  for (const analysis::ColumnInfo& column : shape.columns)
    table->info.columns.push_back({kept(column_word(column.key)), type_of(column),
                                   unit_word(column.unit), kept(column.title)});
  table->info.columns.push_back(
      {"t0", Type::integer, "ns", "beginning of the stretch", Column::Use::parameter});
  table->info.columns.push_back(
      {"t1", Type::integer, "ns", "its end, not included", Column::Use::parameter});
  return table;
}

const std::vector<std::unique_ptr<ReportTable>>& report_tables() {
  static const auto kAll = [] {
    std::vector<std::unique_ptr<ReportTable>> all;
    for (const analysis::Table& shape : Reports::shapes()) all.push_back(made_of(shape));
    return all;
  }();
  return kAll;
}

class ReportCursor final : public Cursor {
 public:
  ReportCursor(std::shared_ptr<const SectionAnswer> answer, const ReportTable& of)
      : answer_(std::move(answer)), of_(of) {
    const auto found = std::ranges::find(answer_->tables, of.key, &analysis::Table::key);
    if (found != answer_->tables.end()) table_ = &*found;
  }

  base::result<bool> next() override { return table_ != nullptr && next_++ < table_->rows.size(); }
  Value value(int column) const override {
    const auto at = static_cast<std::size_t>(column);
    const auto& row = table_->rows[next_ - 1];
    return at < row.size() ? as_value(row[at], of_.info.columns[at].type) : Value();
  }

 private:
  Value as_value(const Cell& cell, Type type) const {
    if (const auto* const text = std::get_if<std::string>(&cell))
      return Value::of(std::string_view(*text));
    if (const auto* const real = std::get_if<double>(&cell)) return Value::of(*real);
    if (const auto* const number = std::get_if<std::int64_t>(&cell)) return Value::of(*number);
    const auto* const number = std::get_if<std::uint64_t>(&cell);
    if (number == nullptr) return {};
    if (type != Type::text) return Value::of(*number);
    address_ = id_text(*number);
    return address_.empty() ? Value() : Value::of(std::string_view(address_));
  }

  std::shared_ptr<const SectionAnswer> answer_;
  const ReportTable& of_;
  const analysis::Table* table_ = nullptr;
  std::size_t next_ = 0;
  mutable std::string address_;
};

// Its two last parameters are the stretch.
base::result<std::shared_ptr<const SectionAnswer>> ask(const Reports& reports,
                                                       const analysis::Section* section,
                                                       const Scan& scan, int t1) {
  const auto range = stretch_of(scan, t1 - 1, t1, -1);
  if (!range) return tl::unexpected(range.error());
  return reports.of(section, range->from, range->to, scan.stop);
}

class ReportFunction final : public Table {
 public:
  ReportFunction(TracePointer trace, std::shared_ptr<const Reports> reports, const ReportTable& of)
      : trace_(std::move(trace)), reports_(std::move(reports)), of_(of) {}

  const TableInfo& info() const override { return of_.info; }
  double estimate(std::uint64_t, std::uint64_t) const override { return 100; }
  base::result<std::unique_ptr<Cursor>> open(const Scan& scan) const override {
    const int t1 = static_cast<int>(of_.info.columns.size()) - 1;
    auto answer = ask(*reports_, of_.section, scan, t1);
    if (!answer) return tl::unexpected(answer.error());
    return std::make_unique<ReportCursor>(std::move(*answer), of_);
  }

 private:
  TracePointer trace_;
  std::shared_ptr<const Reports> reports_;
  const ReportTable& of_;
};

// --- what is said below the tables ---------------------------------------------------------------

struct Note {
  std::string section, function, text;
};

Value told(const std::string& text) {
  return text.empty() ? Value() : Value::of(std::string_view(text));
}

base::result<std::unique_ptr<Cursor>> answer_notes(const Reports& reports, const Scan& scan) {
  const auto answer = ask(reports, nullptr, scan, ReportNotesColumns::t1);
  if (!answer) return tl::unexpected(answer.error());
  std::vector<Note> notes;
  for (const analysis::Table& table : (*answer)->tables)
    for (const std::string& note : table.notes)
      notes.push_back({table.section, "report_" + table.key, note});
  for (const std::string& limit : (*answer)->limits) notes.push_back({"", "", limit});
  return made<Note>(std::move(notes), [](const Note& note, int column) {
    switch (column) {
      case ReportNotesColumns::section: return told(note.section);
      case ReportNotesColumns::function: return told(note.function);
      default: return told(note.text);
    }
  });
}

}  // namespace

std::unique_ptr<Table> report_notes_function(const TracePointer& trace) {
  const auto reports = std::make_shared<const Reports>(trace->store());
  return std::make_unique<FunctionTable>(
      TableId::ReportNotes, 10,
      [trace, reports](const Scan& scan) { return answer_notes(*reports, scan); });
}

std::vector<const TableInfo*> report_infos() {
  std::vector<const TableInfo*> all;
  for (const auto& table : report_tables()) all.push_back(&table->info);
  return all;
}

std::vector<std::unique_ptr<Table>> report_functions(const TracePointer& trace) {
  const auto reports = std::make_shared<const Reports>(trace->store());
  std::vector<std::unique_ptr<Table>> all;
  for (const auto& table : report_tables())
    all.push_back(std::make_unique<ReportFunction>(trace, reports, *table));
  return all;
}

}  // namespace polytrace::sql
