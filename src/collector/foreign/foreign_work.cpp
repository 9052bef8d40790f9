// SPDX-License-Identifier: Apache-2.0
#include "collector/foreign/foreign_work.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kMostSeries = 10'000;  // of a message
constexpr std::size_t kMostWords = 100;      // kinds of what is left out that are told apart
constexpr std::size_t kLongestWord = 200;
constexpr std::size_t kLongestWords = 2'000;

std::string shown(std::string text) { return base::short_name(base::repaired(text), kLongestWord); }

}  // namespace

StackSums& ForeignWork::series(const LabelList& told) {
  LabelList whole = options_.beneath;
  whole.insert(whole.end(), told.begin(), told.end());
  const warehouse::Labels labels = labels_of(whole, options_.labels);
  const std::uint64_t id = warehouse::series_id(labels, options_.seed);
  const auto known = series_.find(id);
  if (known != series_.end()) return known->second.sums;
  need_room(series_.size() + kMostEntries - kMostSeries, "processes");
  return series_.emplace(id, Series{labels, StackSums(options_.accepted)}).first->second.sums;
}

void ForeignWork::leave_out(std::string what, std::uint64_t count) {
  if (!left_out_.contains(what) && left_out_.size() >= kMostWords) what = "others";
  left_out_[std::move(what)] += count;
}

void ForeignWork::damage(std::string what) {
  out_.notices.add(base::Code::value_unexpected, {}, 0, shown(std::move(what)));
}

void ForeignWork::pass_over(std::string_view message, unsigned field) {
  out_.notices.add(base::Code::code_unknown, {}, 0, fmt::format("field {} of {}", field, message));
}

void ForeignWork::tell_unknown_type(std::string what) {
  out_.notices.add(base::Code::value_unknown, {}, 0, shown(std::move(what)));
}

void ForeignWork::need_room(std::size_t entries, std::string_view table) {
  if (entries >= kMostEntries) throw RoomFault{fmt::format("too many {} in one message", table)};
}

// One notice has all of it, for of each code only the first is shown: values before labels.
void ForeignWork::tell_left_out() {
  std::uint64_t count = 0;
  std::string all;
  for (auto what = left_out_.rbegin(); what != left_out_.rend(); ++what) {
    count += what->second;
    all +=
        fmt::format("{}{} ({} times)", all.empty() ? "" : ", ", shown(what->first), what->second);
  }
  if (count != 0)
    out_.notices.add({base::Code::attribute_lost,
                      count,
                      0,
                      {},
                      base::short_name(std::move(all), kLongestWords),
                      {}});
}

void ForeignWork::finish(StackTexts& texts, std::uint8_t gen, std::uint64_t stream) {
  for (auto& [id, series] : series_) {
    if (series.sums.empty()) continue;
    ForeignSeries& made = out_.series.emplace_back();
    made.labels = std::move(series.labels);
    made.ids = {id, warehouse::service_id(made.labels.service, options_.seed), stream};
    made.samples = series.sums.samples();
    made.seen = {series.sums.first(), series.sums.last()};
    series.sums.make(made.ids, options_.seed, gen, texts, out_.notices, made.rows);
    made.rows.of<warehouse::Series>().push_back(
        series_row(made.labels, id, made.ids.service,
                   warehouse::group_id(made.labels, options_.seed), made.seen));
  }
  tell_left_out();
}

}  // namespace polytrace::collector
