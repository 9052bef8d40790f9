// SPDX-License-Identifier: Apache-2.0
// States of everything at a moment or in a stretch of time, one timeline after the other.
#include "sql/trace/states.hpp"

#include "base/codes.hpp"
#include "sql/functions/functions.hpp"

namespace polytrace::sql {
namespace {

struct Ticks {
  history::Tick from;
  history::Tick to;  // included
};

// Holds the states of one timeline at a time.
class StateCursor final : public Cursor {
 public:
  StateCursor(HistoryPointer history, std::vector<history::Key> keys, Ticks ticks,
              const std::atomic<bool>* stop)
      : history_(std::move(history)), keys_(std::move(keys)), ticks_(ticks), stop_(stop) {}

  base::result<bool> next() override {
    ++at_;
    while (at_ >= states_.size()) {
      if (next_key_ == keys_.size()) return false;
      if (stop_ != nullptr && *stop_) return base::fail(base::Code::query_timeout, "stopped");
      if (auto read = read_next(); !read) return tl::unexpected(read.error());
    }
    return true;
  }
  Value value(int column) const override {
    using At = StateAtColumns;
    const history::Interval& state = states_[at_];
    switch (column) {
      case At::path: return Value::of(std::string_view(path_));
      case At::ts: return Value::of(std::int64_t{state.start});
      case At::dur: return Value::of(lasted(*history_, state));
      case At::type: return Value::of(history::name(state.value.type()));
      case At::value: return value_of(state.value);
      default: return {};
    }
  }

 private:
  base::result<void> read_next() {
    const history::Key key = keys_[next_key_++];
    states_.clear();
    at_ = 0;
    path_ = "/" + history_->path(key).value_or("");
    return history_->range(key, ticks_.from, ticks_.to, [&](const history::Interval& state) {
      if (!state.value.is_null()) states_.push_back(state);
    });
  }

  HistoryPointer history_;
  std::vector<history::Key> keys_;
  Ticks ticks_;
  const std::atomic<bool>* stop_;
  std::size_t next_key_ = 0;
  std::vector<history::Interval> states_;
  std::size_t at_ = 0;
  std::string path_;
};

base::result<std::unique_ptr<Cursor>> answer_states(const Trace& trace, const Value& pattern,
                                                    Ticks ticks, const std::atomic<bool>* stop) {
  if (pattern.type != Type::text && !pattern.is_null())
    return base::fail(base::Code::query_wrong, "states of what? 'Threads/*/Status'");
  auto history = states_of(trace, stop);
  if (!history) return tl::unexpected(history.error());
  const history::Facts& facts = (*history)->facts();
  ticks.from = std::max(ticks.from, facts.start);
  ticks.to = std::min(ticks.to, facts.end);
  std::vector<history::Key> keys;
  if (ticks.from <= ticks.to) keys = timelines_of(**history, pattern.text);
  return std::make_unique<StateCursor>(std::move(*history), std::move(keys), ticks, stop);
}

base::result<std::unique_ptr<Cursor>> answer_at(const Trace& trace, const Scan& scan) {
  using At = StateAtColumns;
  const auto range = stretch_of(scan, At::t, -1, -1);
  if (!range) return tl::unexpected(range.error());
  const history::Tick at =
      scan.parameter(At::t).is_null() ? trace.start() : history::Tick{range->from};
  return answer_states(trace, scan.parameter(At::pattern), {at, at}, scan.stop);
}

base::result<std::unique_ptr<Cursor>> answer_range(const Trace& trace, const Scan& scan) {
  using At = StateRangeColumns;
  const auto range = stretch_of(scan, At::t0, At::t1, -1);
  if (!range) return tl::unexpected(range.error());
  const bool ends = !scan.parameter(At::t1).is_null();
  if (ends && range->to == INT64_MIN) return answer_states(trace, {}, {0, -1}, scan.stop);
  return answer_states(trace, scan.parameter(At::pattern),
                       {range->from, ends ? range->to - 1 : range->to}, scan.stop);
}

}  // namespace

std::unique_ptr<Table> state_at_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(
      TableId::StateAt, 1000, [trace](const Scan& scan) { return answer_at(*trace, scan); });
}

std::unique_ptr<Table> state_range_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(TableId::StateRange, 10'000, [trace](const Scan& scan) {
    return answer_range(*trace, scan);
  });
}

}  // namespace polytrace::sql
