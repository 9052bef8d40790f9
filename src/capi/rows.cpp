// SPDX-License-Identifier: Apache-2.0
#include "capi/rows.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "capi/scan.hpp"
#include "service/ask/event_stream.hpp"
#include "service/words/words.hpp"

namespace polytrace::capi {
namespace {

class StatementRows final : public Rows {
 public:
  StatementRows(std::shared_ptr<Moment> moment, std::unique_ptr<sql::Query> query)
      : moment_(std::move(moment)), query_(std::move(query)) {}

  const std::vector<sql::AnswerColumn>& columns() const override { return query_->columns(); }
  bool bind(std::string_view parameter, const sql::Value& value) override {
    return query_->bind(parameter, value);
  }
  base::result<sql::Turn> turn(sql::Answers& answers, const std::atomic<bool>* stop) override {
    return query_->turn(answers, stop);
  }
  void rewind() override { query_->rewind(); }

 private:
  std::shared_ptr<Moment> moment_;  // has the database of the query
  std::unique_ptr<sql::Query> query_;
};

std::string_view declared(sql::Type type) {
  switch (type) {
    case sql::Type::integer: return "INTEGER";
    case sql::Type::real: return "REAL";
    case sql::Type::text: return "TEXT";
    case sql::Type::null: break;
  }
  return {};
}

class EventRows final : public Rows {
 public:
  EventRows(std::shared_ptr<OpenTrace> trace, std::vector<int> chosen, const pt_scan& scan)
      : trace_(std::move(trace)),
        chosen_(std::move(chosen)),
        from_(scan.from),
        to_(scan.to),
        threads_(scan.threads, scan.threads + scan.thread_count) {
    for (const int column : chosen_) {
      const auto& told = service::EventStream::info().columns[static_cast<std::size_t>(column)];
      columns_.push_back({std::string(told.name), declared(told.type), std::string(told.unit)});
    }
    cells_.resize(chosen_.size());
  }

  const std::vector<sql::AnswerColumn>& columns() const override { return columns_; }
  bool bind(std::string_view, const sql::Value&) override { return false; }
  void rewind() override { stream_.reset(); }
  std::optional<base::Error> missing() const override { return missing_; }
  bool ends_by_stop() const override { return trace_->options().follow; }

  base::result<sql::Turn> turn(sql::Answers& answers, const std::atomic<bool>* stop) override {
    if (auto begun = begin(stop); !begun) return base::Unexpected(begun.error());
    for (bool gave = false; !gave || stream_->has_next() || !trace_->may_wait();) {
      const auto more = stream_->next();
      // Whoever is told to stop may be anywhere, also in the header.
      if (*stop && !ends_by_stop()) return sql::Turn{.interrupted = true};
      if (!more && !*stop) return base::Unexpected(more.error());
      if (!more || !*more) return end();
      if (!is_chosen()) continue;
      gave = true;
      for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] = stream_->value(chosen_[i]);
      if (!answers.row(cells_)) break;
    }
    return sql::Turn{};
  }

 private:
  base::result<void> begin(const std::atomic<bool>* stop) {
    if (stream_ != nullptr) return {};
    if (auto can = trace_->begin_stream(); !can) return can;
    missing_.reset();
    stream_ = std::make_unique<service::EventStream>(trace_->options(), stop);
    return {};
  }
  sql::Turn end() {
    missing_ = missing_of(stream_->reading());
    return {.done = true};
  }
  bool is_chosen() const {
    using At = sql::EventColumns;
    const sql::Value time = stream_->value(At::ts);
    const auto is_in = [&] { return time.integer >= from_ && time.integer < to_; };
    if ((from_ != INT64_MIN || to_ != INT64_MAX) && (time.is_null() || !is_in())) return false;
    const sql::Value thread = threads_.empty() ? sql::Value() : stream_->value(At::utid);
    return threads_.empty() ||
           (!thread.is_null() && std::ranges::find(threads_, thread.integer) != threads_.end());
  }

  std::shared_ptr<OpenTrace> trace_;
  std::vector<int> chosen_;
  std::int64_t from_, to_;
  std::vector<std::int64_t> threads_;  // utids; empty: all
  std::vector<sql::AnswerColumn> columns_{};
  std::vector<sql::Value> cells_{};
  std::unique_ptr<service::EventStream> stream_{};  // of the run
  std::optional<base::Error> missing_{};
};

base::result<std::vector<int>> columns_named(const char* columns) {
  constexpr auto& kAll = service::EventStream::kColumns;
  if (columns == nullptr) return std::vector<int>(kAll.begin(), kAll.end());
  std::vector<int> chosen;
  for (const std::string_view name : service::listed(columns)) {
    chosen.push_back(service::EventStream::info().find(name));
    if (std::ranges::find(kAll, chosen.back()) == kAll.end())
      return base::fail(base::Code::query_wrong, fmt::format("no such column: {}", name));
  }
  return chosen;
}

}  // namespace

std::unique_ptr<Rows> statement_rows(std::shared_ptr<Moment> moment,
                                     std::unique_ptr<sql::Query> query) {
  return std::make_unique<StatementRows>(std::move(moment), std::move(query));
}

base::result<std::unique_ptr<Rows>> event_rows(std::shared_ptr<OpenTrace> trace,
                                               std::string_view table, const pt_scan& scan) {
  if (table != service::EventStream::info().name)
    return base::fail(
        base::Code::query_wrong,
        fmt::format("no such table: {}; without an index there is \"event\" alone", table));
  if (scan.by_time != 0)
    return base::fail(base::Code::usage, "without an index events come in the order of the file");
  auto columns = columns_named(scan.columns);
  if (!columns) return base::Unexpected(columns.error());
  return std::make_unique<EventRows>(std::move(trace), std::move(*columns), scan);
}

}  // namespace polytrace::capi
