// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "base/duration_sketch.hpp"
#include "sql/sqlite/scalars.hpp"

namespace polytrace::sql {
namespace {

using Arguments = sqlite3_value**;

// Values one by one while they are few, then as durations: a quantile is off by 1/33 at most.
class Quantiles {
 public:
  void add(double value) {
    least_ = count_ == 0 ? value : std::min(least_, value);
    most_ = count_ == 0 ? value : std::max(most_, value);
    ++count_;
    if (values_.size() < kMostValues && sketch_.empty()) return values_.push_back(value);
    for (const double one : values_) sketch_.add(duration_of(one));
    values_ = {};
    sketch_.add(duration_of(value));
  }
  bool is_known() const { return count_ != 0 && (sketch_.empty() || least_ >= 0); }
  // Nearest rank.
  double at(double asked) {
    const double share = std::clamp(asked, 0.0, 1.0);
    if (!sketch_.empty()) {
      const auto percent = static_cast<unsigned>(std::lround(share * 100));
      return std::clamp(static_cast<double>(sketch_.quantile(percent)), least_, most_);
    }
    const double rank = std::ceil(share * static_cast<double>(values_.size()));
    const auto place = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
    std::nth_element(values_.begin(), values_.begin() + place, values_.end());
    return values_[static_cast<std::size_t>(place)];
  }

  double wanted = 0.5;
  bool whole_numbers = true;

 private:
  static constexpr std::size_t kMostValues = 1'000'000;
  static std::uint64_t duration_of(double value) {
    return value <= 0 ? 0 : value >= 1.8e19 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(value);
  }

  std::vector<double> values_;
  base::DurationSketch sketch_{};
  double least_ = 0, most_ = 0;
  std::uint64_t count_ = 0;
};

// Welford's.
struct Spread {
  std::uint64_t count = 0;
  double mean = 0;
  double squares = 0;

  void add(double value) {
    ++count;
    const double off = value - mean;
    mean += off / static_cast<double>(count);
    squares += off * (value - mean);
  }
};

// SQLite's memory for an aggregate is zeros at first.
template <class State>
State* state_of(sqlite3_context* of) {
  auto* const place = static_cast<State**>(sqlite3_aggregate_context(of, sizeof(State*)));
  if (place == nullptr) return nullptr;
  if (*place == nullptr) *place = new (std::nothrow) State();
  return *place;
}
template <class State>
std::unique_ptr<State> last_state_of(sqlite3_context* of) {
  auto* const place = static_cast<State**>(sqlite3_aggregate_context(of, 0));
  return std::unique_ptr<State>(place == nullptr ? nullptr : *place);
}

void step_quantile(sqlite3_context* of, int count, Arguments values) {
  auto* const state = state_of<Quantiles>(of);
  if (state == nullptr) return sqlite3_result_error_nomem(of);
  const int type = sqlite3_value_numeric_type(values[0]);
  if (count > 1) state->wanted = sqlite3_value_double(values[1]);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;
  state->whole_numbers = state->whole_numbers && type == SQLITE_INTEGER;
  try {
    state->add(sqlite3_value_double(values[0]));
  } catch (...) {
    sqlite3_result_error_nomem(of);
  }
}

void end_quantile(sqlite3_context* of) {
  const auto state = last_state_of<Quantiles>(of);
  if (state == nullptr || !state->is_known()) return;
  const double value = state->at(state->wanted);
  if (state->whole_numbers && std::abs(value) < 9e18)
    sqlite3_result_int64(of, static_cast<std::int64_t>(value));
  else sqlite3_result_double(of, value);
}

void step_stddev(sqlite3_context* of, int, Arguments values) {
  auto* const state = state_of<Spread>(of);
  if (state == nullptr) return sqlite3_result_error_nomem(of);
  const int type = sqlite3_value_numeric_type(values[0]);
  if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) state->add(sqlite3_value_double(values[0]));
}

void end_stddev(sqlite3_context* of) {
  const auto state = last_state_of<Spread>(of);
  if (state == nullptr || state->count < 2) return;
  sqlite3_result_double(of, std::sqrt(state->squares / static_cast<double>(state->count - 1)));
}

struct AggregateRow {
  const char* name;
  int arguments;
  void (*step)(sqlite3_context*, int, Arguments);
  void (*end)(sqlite3_context*);
  std::string_view parameters;
  std::string_view meaning;
};
constexpr AggregateRow kAggregates[]{
    {"quantile", 2, step_quantile, end_quantile, "x, p",
     "aggregate: p of 0 to 1; of more than a million values off by 1/33 at most"},
    {"median", 1, step_quantile, end_quantile, "x", "aggregate: quantile(x, 0.5)"},
    {"stddev", 1, step_stddev, end_stddev, "x", "aggregate: standard deviation of a sample"}};

}  // namespace

int add_aggregates(sqlite3* database, std::vector<FunctionInfo>& added) {
  for (const AggregateRow& row : kAggregates) {
    const int done = sqlite3_create_function_v2(
        database, row.name, row.arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
        nullptr, nullptr, row.step, row.end, nullptr);
    if (done != SQLITE_OK) return done;
    added.push_back({row.name, row.parameters, row.meaning});
  }
  return SQLITE_OK;
}

}  // namespace polytrace::sql
