// SPDX-License-Identifier: Apache-2.0
#include "capi/query.hpp"

#include <algorithm>
#include <cstring>

#include "base/codes.hpp"

namespace polytrace::capi {
namespace {

constexpr std::size_t kMuchText = std::size_t{32} << 20;  // bytes of a column of a part

class Gather final : public sql::Answers {
 public:
  Gather(Batch& batch, std::size_t most, std::optional<std::uint64_t> left)
      : batch_(batch), most_(most), left_(left) {}
  base::result<void> begin(const std::vector<sql::AnswerColumn>&) override { return {}; }
  bool row(std::span<const sql::Value> cells) override {
    if (left_ && batch_.rows == *left_) {
      cut_ = true;
      return false;
    }
    bool full = ++batch_.rows >= most_;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      batch_.columns[i].add(cells[i]);
      full = full || batch_.columns[i].text_bytes() >= kMuchText;
    }
    return !full;
  }
  bool was_cut() const { return cut_; }

 private:
  Batch& batch_;
  std::size_t most_;
  std::optional<std::uint64_t> left_;
  bool cut_ = false;
};

std::optional<CellType> declared_type(std::string_view word) {
  if (word == "INTEGER") return CellType::integer;
  if (word == "REAL") return CellType::real;
  if (word == "TEXT") return CellType::text;
  return std::nullopt;
}

// Of its first part.
CellType type_of(const Column& column, const sql::AnswerColumn& told) {
  const auto declared = declared_type(told.type);
  const auto own = column.own_type();
  if (!own) return declared.value_or(CellType::text);
  return std::max(*own, declared.value_or(*own));
}

}  // namespace

OpenQuery::~OpenQuery() {
  const std::lock_guard lock(trace_->turn());
  rows_.reset();
}

bool OpenQuery::take(Reader reader) {
  const std::lock_guard lock(trace_->turn());
  if (reader_ != Reader::none && (reader_ != reader || reader == Reader::stream)) return false;
  reader_ = reader;
  return true;
}

bool OpenQuery::bind(const char* name, const sql::Value& value) {
  const std::lock_guard lock(trace_->turn());
  return name != nullptr && reader_ == Reader::none && rows_->bind(name, value);
}

void OpenQuery::end_run_locked() {
  rows_->rewind();
  stop_.reset();
  reader_ = Reader::none;
}

void OpenQuery::end_run() {
  const std::lock_guard lock(trace_->turn());
  end_run_locked();
}

std::vector<CellType> OpenQuery::types() {
  const std::lock_guard lock(trace_->turn());
  if (!types_.empty()) return types_;
  std::vector<CellType> told;
  for (const sql::AnswerColumn& column : columns())
    told.push_back(declared_type(column.type).value_or(CellType::text));
  return told;
}

base::result<Part> OpenQuery::next(std::size_t most) {
  const std::lock_guard lock(trace_->turn());
  auto part = next_locked(most);
  if (!part || !part->goes_on()) end_run_locked();
  return part;
}

base::result<Part> OpenQuery::next_locked(std::size_t most) {
  if (stop_ == nullptr) {
    stop_ = trace_->stops().begin();
    done_ = false;
    given_ = 0;
    types_.clear();
  }
  if (*stop_ && !rows_->ends_by_stop()) return Part{.stopped = true};
  if (done_) return Part{.missing = rows_->missing()};
  const auto batch = std::make_shared<Batch>();
  batch->columns.resize(columns().size());
  Gather gather(*batch, most, max_rows_ == 0 ? std::nullopt : std::optional(max_rows_ - given_));
  const auto turn = rows_->turn(gather, stop_.get());
  if (!turn) return base::Unexpected(turn.error());
  if (turn->interrupted) return Part{.stopped = true};
  done_ = turn->done;
  given_ += batch->rows;
  if (batch->rows == 0) return Part{.cut = gather.was_cut(), .missing = rows_->missing()};
  if (auto settled = settle(*batch); !settled) return base::Unexpected(settled.error());
  return Part{.batch = batch, .cut = gather.was_cut()};
}

base::result<void> OpenQuery::settle(Batch& batch) {
  if (types_.empty())
    for (std::size_t i = 0; i < batch.columns.size(); ++i)
      types_.push_back(type_of(batch.columns[i], columns()[i]));
  for (std::size_t i = 0; i < batch.columns.size(); ++i)
    if (auto settled = batch.columns[i].settle(types_[i], columns()[i].name); !settled)
      return settled;
  return {};
}

namespace {

sql::Limits limits_of(const pt_query_options& options) {
  sql::Limits limits;
  // 0, and more than a clock can tell: any.
  constexpr std::uint64_t kLongest = std::uint64_t{1} << 40;
  const std::uint64_t time = options.timeout_ms;
  limits.time = std::chrono::milliseconds(time == 0 ? kLongest : std::min(time, kLongest));
  if (options.memory != 0) limits.memory = options.memory;
  limits.read_only = options.read_only != 0;
  return limits;
}

pt_query_options query_defaults() {
  return {.size = sizeof(pt_query_options),
          .timeout_ms = 0,
          .memory = 0,
          .max_rows = 0,
          .read_only = 0};
}

pt_status bind(pt_query* query, const char* name, const sql::Value& value) {
  return guarded(nullptr, [&] { return query->open->bind(name, value) ? PT_OK : PT_USAGE; });
}

pt_column described(const sql::AnswerColumn& told) {
  return {.name = text_of(told.name),
          .unit = text_of(told.unit),
          .type = 0,
          .values = nullptr,
          .offsets = nullptr,
          .valid = nullptr};
}

pt_column view_of(const Column& column, const sql::AnswerColumn& told) {
  return {.name = text_of(told.name),
          .unit = text_of(told.unit),
          .type = static_cast<int>(column.type()),
          .values = column.values(),
          .offsets = column.type() == CellType::text ? column.offsets() : nullptr,
          .valid = column.valid()};
}

pt_status fill(pt_query& query, std::size_t most, pt_columns& columns, pt_error** error) {
  if (!query.open->take(OpenQuery::Reader::columns))
    return give_usage(error, "a stream of the query is being read");
  query.batch.reset();
  query.views.clear();
  const auto part = query.open->next(most == 0 ? kMostRows : std::min(most, kMostRows));
  if (!part) return give_error(error, part.error(), query.open->file());
  if (part->stopped) return give_stopped(error);
  if (part->missing) return give_error(error, *part->missing, query.open->file());
  if (part->batch != nullptr) {
    query.batch = part->batch;
    for (std::size_t i = 0; i < query.batch->columns.size(); ++i)
      query.views.push_back(view_of(query.batch->columns[i], query.open->columns()[i]));
    columns.count = query.views.size();
    columns.rows = query.batch->rows;
    columns.columns = query.views.data();
  }
  if (!part->cut) return PT_OK;
  return give_error(error, {base::Code::limit_exceeded, {}, "rows: there are more than max_rows"});
}

}  // namespace

pt_status make_query(pt_trace& trace, std::string_view sql, const pt_query_options& options,
                     std::shared_ptr<OpenQuery>& query, std::size_t& used, pt_error** error) {
  OpenTrace& open = *trace.open;
  const auto moment = open.moment();
  if (!moment) return give_error(error, moment.error());
  std::unique_ptr<sql::Query> made;
  {
    const std::lock_guard lock(open.turn());
    const auto database = (*moment)->database();
    if (!database) return give_error(error, database.error());
    auto prepared = (*database)->prepare(sql, used, limits_of(options));
    if (!prepared) return give_error(error, prepared.error());
    made = std::move(*prepared);
  }
  if (made != nullptr)
    query = std::make_shared<OpenQuery>(trace.open, statement_rows(*moment, std::move(made)),
                                        options.max_rows);
  return PT_OK;
}

pt_query* query_of_c(std::shared_ptr<OpenQuery> query) {
  auto made = std::make_unique<pt_query>();
  made->open = std::move(query);
  for (const sql::AnswerColumn& column : made->open->columns())
    made->described.push_back(described(column));
  return made.release();
}

}  // namespace polytrace::capi

using namespace polytrace::capi;

void pt_query_options_init(pt_query_options* options, size_t size) {
  std::memset(options, 0, size);
  options->size = size;
}

pt_status pt_prepare(pt_trace* trace, pt_text sql, const pt_query_options* options,
                     pt_query** query, pt_text* rest, pt_error** error) {
  *query = nullptr;
  return guarded(error, [&] {
    std::shared_ptr<OpenQuery> made;
    std::size_t used = 0;
    const pt_query_options own = taken(options, query_defaults());
    const pt_status status = make_query(*trace, {sql.at, sql.size}, own, made, used, error);
    if (status != PT_OK) return status;
    used = std::min(used, sql.size);
    if (rest != nullptr) *rest = {sql.at + used, sql.size - used};
    if (made != nullptr) *query = query_of_c(std::move(made));
    return PT_OK;
  });
}

pt_status pt_bind_i64(pt_query* query, const char* name, int64_t value) {
  return bind(query, name, polytrace::sql::Value::of(std::int64_t{value}));
}
pt_status pt_bind_f64(pt_query* query, const char* name, double value) {
  return bind(query, name, polytrace::sql::Value::of(value));
}
pt_status pt_bind_text(pt_query* query, const char* name, pt_text value) {
  return bind(query, name, polytrace::sql::Value::of(std::string_view(value.at, value.size)));
}
pt_status pt_bind_null(pt_query* query, const char* name) {
  return bind(query, name, polytrace::sql::Value());
}

void pt_query_describe(pt_query* query, pt_columns* columns) {
  columns->count = query->described.size();
  columns->rows = 0;
  columns->columns = query->described.data();
}

pt_status pt_query_columns(pt_query* query, size_t most_rows, pt_columns* columns,
                           pt_error** error) {
  columns->count = columns->rows = 0;
  columns->columns = nullptr;
  return guarded(error, [&] { return fill(*query, most_rows, *columns, error); });
}

void pt_query_release(pt_query* query) { delete query; }
