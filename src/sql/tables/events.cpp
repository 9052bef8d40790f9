// SPDX-License-Identifier: Apache-2.0
// All events as the source has them: one table of all, in order, and one of each kind.
#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "base/codes.hpp"
#include "event/fields.hpp"
#include "event/text/text.hpp"
#include "slice/slicer.hpp"
#include "sql/tables/row_table.hpp"
#include "sql/trace/chunks.hpp"

namespace polytrace::sql {
namespace {

using event::Kind;
using event::Tag;

// --- one table of all --------------------------------------------------------------------------

class EventCursor final : public Cursor {
 public:
  EventCursor(TracePointer trace, std::shared_ptr<const Chunks> chunks, const Scan& scan)
      : trace_(std::move(trace)),
        chunks_(std::move(chunks)),
        reader_(trace_->store().reader()),
        scan_(scan),
        numbers_threads_(scan.is_asked(EventColumns::utid)) {
    slicer_.as_told();
  }

  base::result<bool> next() override {
    for (;;) {
      ++at_;
      ++ordinal_;
      while (at_ >= batch_.events.size()) {
        if (scan_.is_stopped()) return base::fail(base::Code::query_timeout, "stopped");
        const auto more = reader_->next(batch_);
        if (!more) return tl::unexpected(more.error());
        if (!*more) return false;
        at_ = 0;
        if (numbers_threads_) number_threads();
      }
      text_.clear();
      const bool fits = std::ranges::all_of(scan_.conditions, [&](const Condition& condition) {
        return condition.holds(value(condition.column));
      });
      if (fits) return true;
    }
  }

  Value value(int column) const override {
    using At = EventColumns;
    const event::Event& event = batch_.events[at_];
    switch (column) {
      case At::id: return Value::of(ordinal_ - 1);
      case At::ts: return time_value(event.time);
      case At::utid: return at_ < utids_.size() ? index_value(utids_[at_]) : Value();
      case At::kind: return Value::name(event::describe(event.kind).name);
      case At::subject:
        if (event.id == base::kNoId) return {};
        subject_ = id_text(event.id);
        return Value::of(std::string_view(subject_));
      case At::chunk_id: return chunk();
      default: return Value::of(detail());
    }
  }

 private:
  // As the index did: where an id is given to another thread, only the order of events tells from
  // when on, for their times may overlap.
  void number_threads() {
    utids_.assign(batch_.events.size(), store::kNoIndex);
    slicer_.slice(batch_, [&](const slice::Slice& slice) {
      for (const slice::Run& run : slice.runs)
        std::fill(utids_.begin() + run.begin, utids_.begin() + run.end, utid_of(run.thread));
    });
  }
  // The slicer numbers threads as batches tell of them, and these are cut otherwise than the
  // source's were: the n-th life of an id is the index's n-th.
  std::uint32_t utid_of(std::uint32_t thread) {
    const auto& all = trace_->threads();
    while (numbered_.size() <= thread) {
      const base::Id id = slicer_.names().threads()[numbered_.size()].id;
      std::ptrdiff_t& from = next_life_[id];
      const auto found = std::find_if(all.begin() + from, all.end(),
                                      [&](const ThreadName& one) { return one.id == id; });
      numbered_.push_back(found == all.end() ? store::kNoIndex
                                             : static_cast<std::uint32_t>(found - all.begin()));
      from = found - all.begin() + (found == all.end() ? 0 : 1);
    }
    return numbered_[thread];
  }
  Value chunk() const {
    const auto found = chunks_->with_event(ordinal_ - 1);
    return found ? Value::of(*found) : Value();
  }
  // What stands behind time, thread and kind.
  std::string_view detail() const {
    if (text_.empty()) event::append_text(text_, batch_, batch_.events[at_]);
    std::string_view rest = text_;
    for (int words = 0; words < 3; ++words) {
      const std::size_t blank = rest.find(' ');
      rest = blank == rest.npos ? std::string_view() : rest.substr(blank + 1);
    }
    return rest;
  }

  TracePointer trace_;
  std::shared_ptr<const Chunks> chunks_;
  std::unique_ptr<event::Reader> reader_;
  Scan scan_;
  event::Batch batch_;
  std::size_t at_ = ~std::size_t{0};
  std::uint64_t ordinal_ = 0;  // of events before and at it
  bool numbers_threads_;
  slice::Slicer slicer_;
  std::vector<std::uint32_t> utids_;                        // by event of the batch
  std::vector<std::uint32_t> numbered_;                     // by the slicer's number of a thread
  std::unordered_map<base::Id, std::ptrdiff_t> next_life_;  // where to look for it, by id
  mutable std::string text_;
  mutable std::string subject_;
};

class EventTable final : public Table {
 public:
  explicit EventTable(const TracePointer& trace)
      : trace_(trace), chunks_(std::make_shared<const Chunks>(trace)) {}
  const TableInfo& info() const override { return describe(TableId::Event); }
  // It has to be read from its beginning, whatever is asked.
  double estimate(std::uint64_t, std::uint64_t) const override {
    return static_cast<double>(trace_->store().facts().totals.events) * 4 + 1;
  }
  int order() const override { return EventColumns::id; }
  base::result<std::unique_ptr<Cursor>> open(const Scan& scan) const override {
    if (const auto chunks = chunks_->rows(); !chunks) return tl::unexpected(chunks.error());
    return std::make_unique<EventCursor>(trace_, chunks_, scan);
  }

 private:
  TracePointer trace_;
  std::shared_ptr<const Chunks> chunks_;
};

// --- one table of each kind --------------------------------------------------------------------

struct FieldRow {
  Tag tag;
  std::string_view name;
  std::string_view meaning;
  std::string_view unit;
};

std::vector<FieldRow> fields_of_kind(Kind kind) {
  switch (kind) {
#define FIELD(type, name, meaning, ...) FieldRow{Tag::k##type, #name, meaning, #__VA_ARGS__},
#define KIND(Type, text, subject, role, meaning, ...) \
  case Kind::Type: return {__VA_ARGS__};
#include "event/kinds.def"
#undef KIND
#undef FIELD
  }
  return {};
}

constexpr std::string_view kMeanings[]{
#define KIND(Type, text, subject, role, meaning, ...) meaning,
#include "event/kinds.def"
#undef KIND
};

// Words of SQL, and names that every table has.
std::string_view column_name(std::string_view field) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kOther{
      {{"from", "from_ts"},
       {"to", "to_"},
       {"group", "group_name"},
       {"id", "id_"},
       {"ts", "ts_"},
       {"subject", "subject_"},
       {"table", "table_"}}};
  const auto found =
      std::ranges::find(kOther, field, &std::pair<std::string_view, std::string_view>::first);
  return found == kOther.end() ? field : found->second;
}

Meaning meaning_of(Tag tag) {
  switch (tag) {
    case Tag::kId: return Meaning::id;
    case Tag::kTime: return Meaning::time;
    case Tag::kDuration:
    case Tag::ku64:
    case Tag::ki64:
    case Tag::ku32:
    case Tag::ku8:
    case Tag::kOptional32: return Meaning::optional;
    case Tag::kf64: return Meaning::real;
    case Tag::kFlag: return Meaning::flag;
    case Tag::kWord:
    case Tag::kText:
    case Tag::kWhole: return Meaning::text;
    case Tag::kStack: return Meaning::path;
    case Tag::kNatives:
    case Tag::kRefs:
    case Tag::kIlMap: return Meaning::nothing;
    default: return Meaning::word;
  }
}

Type type_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::id:
    case Meaning::text:
    case Meaning::word: return Type::text;
    case Meaning::real: return Type::real;
    default: return Type::integer;
  }
}

std::string_view unit_of(const FieldRow& field) {
  if (field.tag == Tag::kTime || field.tag == Tag::kDuration) return "ns";
  return field.unit == "bytes" || field.unit == "count" ? field.unit : std::string_view();
}

struct KindTable {
  std::string name;
  TableInfo info;
  std::vector<RowColumn> columns;
};

RowColumn subject_of(Kind kind) {
  switch (store::subject_sort(kind)) {
    case store::EntitySort::method: return {Meaning::method_id, "subject"};
    case store::EntitySort::class_: return {Meaning::class_id, "subject"};
    case store::EntitySort::thread: return {Meaning::thread, "subject"};
    case store::EntitySort::counter: return {Meaning::counter, "subject"};
    case store::EntitySort::none: break;
  }
  return {Meaning::id, "subject"};
}

void add(KindTable& table, std::string_view name, RowColumn column, std::string_view unit,
         std::string_view meaning, Column::Use use = Column::Use::plain) {
  table.info.columns.push_back({name, type_of(column.meaning), unit, meaning, use});
  table.columns.push_back(column);
}

KindTable table_of(Kind kind) {
  using Use = Column::Use;
  KindTable table{
      .name = fmt::format("event_{}", event::describe(kind).name), .info = {}, .columns = {}};
  table.info.meaning = kMeanings[static_cast<std::size_t>(kind)];
  add(table, "id", {Meaning::row, {}}, {}, "key: its number among events of its kind", Use::pushed);
  add(table, "ts", {Meaning::time, "time"}, "ns", "when", Use::pushed);
  add(table, "utid", {Meaning::thread, "thread"}, {}, "thread whose stream tells it", Use::pushed);
  if (event::describe(kind).subject != "none")
    add(table, "subject", subject_of(kind), {}, event::describe(kind).subject, Use::pushed);
  for (const FieldRow& field : fields_of_kind(kind))
    if (const Meaning meaning = meaning_of(field.tag); meaning != Meaning::nothing)
      add(table, column_name(field.name), {meaning, field.name}, unit_of(field), field.meaning);
  return table;
}

// Calls are no rows: they are in the table `slice`.
const std::vector<std::pair<Kind, KindTable>>& kind_tables() {
  static const std::vector<std::pair<Kind, KindTable>> kAll = [] {
    std::vector<std::pair<Kind, KindTable>> all;
    for (std::size_t i = 0; i < event::kKindCount; ++i)
      if (const auto kind = static_cast<Kind>(i); !event::is_call(kind))
        all.emplace_back(kind, table_of(kind));
    for (auto& [kind, table] : all) table.info.name = table.name;
    return all;
  }();
  return kAll;
}

}  // namespace

TablePointer event_table(const TracePointer& trace) { return std::make_unique<EventTable>(trace); }

std::vector<TablePointer> kind_event_tables(const TracePointer& trace) {
  std::vector<TablePointer> all;
  for (const auto& [kind, table] : kind_tables())
    all.push_back(row_table(trace, table.info, kind, table.columns));
  return all;
}

std::vector<const TableInfo*> kind_event_infos() {
  std::vector<const TableInfo*> all;
  for (const auto& [kind, table] : kind_tables()) all.push_back(&table.info);
  return all;
}

}  // namespace polytrace::sql
