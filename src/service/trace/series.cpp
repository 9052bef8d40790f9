// SPDX-License-Identifier: Apache-2.0
#include "service/trace/series.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "service/trace/binary.hpp"

namespace polytrace::service {
namespace {

using store::ActivityPoint;
using store::Buckets;
using store::ValuePoint;

constexpr std::uint32_t kSeriesMagic = 0x31535450;  // "PTS1"

struct SeriesRow {
  std::uint32_t track;
  std::uint32_t points;
  double first;  // number of the first bucket
};
static_assert(sizeof(SeriesRow) == 16);

// The columns of an answer: all points of the first series, then of the next.
class Points {
 public:
  Points(const Buckets& buckets, std::size_t series)
      : first_(buckets.first), count_(static_cast<std::size_t>(buckets.end - buckets.first)) {
    for (auto* column : {&least_, &most_, &last_, &sum_}) column->resize(count_ * series);
    counts_.resize(count_ * series);
  }
  // Of what threads did: the exact sum, and what that is on average.
  void put_sum(std::size_t series, std::int64_t bucket, std::uint64_t sum, unsigned level) {
    const std::size_t at = place(series, bucket);
    const auto whole = static_cast<double>(sum);
    sum_[at] = whole;
    least_[at] = most_[at] = last_[at] = whole / static_cast<double>(std::uint64_t{1} << level);
  }
  void count_all(std::size_t series) {
    std::fill_n(counts_.begin() + static_cast<std::ptrdiff_t>(series * count_), count_, 1U);
  }
  void put_value(std::size_t series, const ValuePoint& point, double scale) {
    const std::size_t at = place(series, point.bucket);
    least_[at] = point.least * scale;
    most_[at] = point.most * scale;
    last_[at] = point.last * scale;
    sum_[at] = point.sum * scale;
    counts_[at] = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(point.count, std::numeric_limits<std::uint32_t>::max()));
  }
  // Where nothing was told what was told before holds.
  void carry(std::size_t series, double before) {
    for (std::size_t at = series * count_; at < (series + 1) * count_; ++at)
      if (counts_[at] == 0) least_[at] = most_[at] = last_[at] = before;
      else before = last_[at];
  }
  void write(std::string& out) const {
    for (const auto* column : {&least_, &most_, &last_, &sum_}) put_column(out, *column);
    put_column(out, counts_);
  }
  std::size_t count() const { return count_; }
  std::size_t size() const { return counts_.size(); }

 private:
  std::size_t place(std::size_t series, std::int64_t bucket) const {
    return series * count_ + static_cast<std::size_t>(bucket - first_);
  }

  std::int64_t first_;
  std::size_t count_;
  std::vector<double> least_, most_, last_, sum_;
  std::vector<std::uint32_t> counts_;
};

// All that is told of threads comes from one walk.
base::result<void> add_activity(const IndexedTrace& trace, const Tracks& tracks,
                                const SeriesQuestion& question, const Buckets& buckets,
                                Points& points) {
  std::vector<std::pair<std::size_t, std::uint64_t ActivityPoint::*>> wanted;
  for (std::size_t i = 0; i < question.tracks.size(); ++i)
    if (const auto measure = tracks.all[question.tracks[i]].series->measure)
      wanted.emplace_back(i, measure);
  if (wanted.empty()) return {};
  for (const auto& [series, measure] : wanted) points.count_all(series);
  return trace.store().activity(buckets, [&](const ActivityPoint& point) {
    for (const auto& [series, measure] : wanted)
      points.put_sum(series, point.bucket, point.*measure, buckets.level);
  });
}

base::result<void> add_values(const IndexedTrace& trace, const SeriesOf& of, const Buckets& buckets,
                              std::size_t series, Points& points) {
  const auto before = trace.store().values(
      of.source, of.counter, buckets,
      [&](const ValuePoint& point) { points.put_value(series, point, of.scale); });
  if (!before) return base::Unexpected(before.error());
  points.carry(series, before->value_or(0) * of.scale);
  return {};
}

std::string packed(const SeriesQuestion& question, const Buckets& buckets, const Points& points) {
  std::vector<SeriesRow> rows;
  for (const std::uint32_t track : question.tracks)
    rows.push_back(
        {track, static_cast<std::uint32_t>(points.count()), static_cast<double>(buckets.first)});
  std::string out(kAnswerHead, '\0');
  put_column(out, rows);
  const auto columns = static_cast<std::uint32_t>(out.size());
  points.write(out);
  put(out, 0, kSeriesMagic);
  put(out, 4, std::uint16_t{1});
  put(out, 16, std::uint32_t{buckets.level});
  put(out, 20, static_cast<std::uint32_t>(rows.size()));
  put(out, 24, static_cast<std::uint32_t>(points.size()));
  put(out, 28, std::uint32_t{1});
  put(out, 32, question.to);
  put(out, 40, static_cast<std::uint32_t>(kAnswerHead));
  put(out, 44, columns);
  put(out, 48, static_cast<std::uint32_t>(out.size()));
  return out;
}

}  // namespace

base::result<std::string> series(const IndexedTrace& trace, const Tracks& tracks,
                                 const SeriesQuestion& question) {
  for (const std::uint32_t track : question.tracks)
    if (track >= tracks.all.size() || !tracks.all[track].series)
      return base::fail(base::Code::usage, "track " + std::to_string(track) + " is no series");
  const unsigned level = level_of(question.from, question.to, question.points);
  const Buckets buckets{.level = level,
                        .first = question.from >> level,
                        .end = ((question.to - 1) >> level) + 1,
                        .stop = question.stop};
  const auto width = static_cast<std::uint64_t>(buckets.end - buckets.first);
  if (width * question.tracks.size() > kMostPointsOfAll)
    return base::fail(base::Code::limit_exceeded, "more than 2,097,152 points");
  Points points(buckets, question.tracks.size());
  if (auto added = add_activity(trace, tracks, question, buckets, points); !added)
    return base::Unexpected(added.error());
  for (std::size_t i = 0; i < question.tracks.size(); ++i) {
    const SeriesOf& of = *tracks.all[question.tracks[i]].series;
    if (of.measure != nullptr) continue;
    if (auto added = add_values(trace, of, buckets, i, points); !added)
      return base::Unexpected(added.error());
  }
  return packed(question, buckets, points);
}

}  // namespace polytrace::service
