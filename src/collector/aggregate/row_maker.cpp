// SPDX-License-Identifier: Apache-2.0
#include "collector/aggregate/row_maker.hpp"

#include <algorithm>

#include "analysis/runtime/throw_bursts.hpp"

namespace polytrace::collector {
namespace {

using slice::StackTree;
using warehouse::Id128;
using warehouse::Profile10s;

constexpr std::string_view kMore = "(... more)";
constexpr std::int64_t kWindowSeconds = kWindow / kSecond;
constexpr std::uint8_t kOften = 255;

std::uint32_t hour_of(std::uint32_t time) { return time / 3600; }
std::uint16_t day_of(std::uint32_t time) { return static_cast<std::uint16_t>(time / 86400); }
std::uint32_t within(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, ~std::uint32_t{0}));
}

// What the buckets of a sketch hold, without those that hold nothing.
void fill_buckets(const base::DurationSketch& sketch, std::vector<std::uint16_t>& buckets,
                  std::vector<std::uint32_t>& tallies) {
  for (std::size_t i = 0; i < sketch.counts().size(); ++i) {
    if (sketch.counts()[i] == 0) continue;
    buckets.push_back(static_cast<std::uint16_t>(sketch.lowest() + i));
    tallies.push_back(sketch.counts()[i]);
  }
}

// Rows of one window and carrier that are the same but for their amounts become one.
void join(std::vector<Profile10s>& rows, std::size_t begin) {
  const auto first = rows.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto key = [](const Profile10s& row) { return std::tie(row.stack, row.subject); };
  std::sort(first, rows.end(),
            [&](const Profile10s& a, const Profile10s& b) { return key(a) < key(b); });
  auto last = first;
  for (auto at = first; at != rows.end(); ++at) {
    if (last != first && key(*(last - 1)) == key(*at)) {
      (last - 1)->count += at->count;
      (last - 1)->weight += at->weight;
    } else {
      *last++ = *at;
    }
  }
  rows.erase(last, rows.end());
}

}  // namespace

std::uint32_t RowMaker::visible(Carrier carrier, std::uint32_t node, const Meaning& meaning) {
  constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  const StackTree& tree = *meaning.trees[static_cast<std::size_t>(carrier)];
  Visible& own = visible_of(carrier);
  if (own.nodes.size() < tree.size()) own.nodes.resize(tree.size(), kUnknown);
  own.nodes[StackTree::kRoot] = StackTree::kRoot;
  for (; own.nodes[node] == kUnknown; node = tree.parent(node)) path_.push_back(node);
  std::uint32_t at = own.nodes[node];
  for (; !path_.empty(); path_.pop_back()) {
    const std::uint32_t method = tree.method(path_.back());
    if (!meaning.names.is_helper(method)) at = own.tree.child(at, method);
    own.nodes[path_.back()] = at;
  }
  return at;
}

Id128 RowMaker::stack(Carrier carrier, std::uint32_t visible, const Meaning& meaning) {
  Visible& own = visible_of(carrier);
  return frames_
      .stack(own.tree, visible, meaning.names,
             carrier == Carrier::calls ? "(runtime helpers)" : "(no stack recorded)", own.known)
      .id;
}

// By visible stack and subject, heaviest first; nothing depends on the order of the table. A
// helper's calls are nobody's, its time is its caller's; what else happened there is its caller's,
// too.
std::vector<std::pair<Spot, Amount>> RowMaker::by_weight(Carrier carrier, const Window& window,
                                                         const Meaning& meaning) {
  const auto number = static_cast<std::size_t>(carrier);
  const StackTree& tree = *meaning.trees[number];
  // In the order in which the trace made them: own nodes are numbered alike each time.
  std::vector<std::pair<std::uint64_t, Amount>> cells(window.amounts[number].begin(),
                                                      window.amounts[number].end());
  std::ranges::sort(cells, {}, &std::pair<std::uint64_t, Amount>::first);
  base::IdMap<Amount> sums;
  for (const auto& [key, told] : cells) {
    Spot spot = Spot::of(key);
    Amount amount = told;
    if (carrier == Carrier::calls && spot.node != StackTree::kRoot &&
        meaning.names.is_helper(tree.method(spot.node)))
      amount.count = 0;
    spot.node = visible(carrier, spot.node, meaning);
    if (amount.count != 0 || amount.weight != 0) sums[spot.key()].merge(amount);
  }
  std::vector<std::pair<Spot, Amount>> all;
  all.reserve(sums.size());
  for (const auto& [key, amount] : sums) all.emplace_back(Spot::of(key), amount);
  std::ranges::sort(all, [](const auto& a, const auto& b) {
    return std::tuple(b.second.weight, b.second.count, a.first.key()) <
           std::tuple(a.second.weight, a.second.count, b.first.key());
  });
  return all;
}

void RowMaker::add(std::int64_t number, Window& window, std::uint8_t again, const SeriesIds& ids,
                   const Meaning& meaning, Rows& rows) {
  const auto time = static_cast<std::uint32_t>(number * kWindowSeconds);
  frames_.begin(day_of(time), rows);
  std::array<Amount, Window::kCarriers> sums;
  for (std::size_t i = 0; i < Window::kCarriers; ++i) {
    Profile10s row;
    row.service = ids.service;
    row.carrier = static_cast<std::uint8_t>(i);
    row.hour = hour_of(time);
    row.series = ids.series;
    row.t = time;
    row.gen = again;
    sums[i] = profile(static_cast<Carrier>(i), window, row, meaning, rows);
  }
  warehouse::Health10s health;
  health.service = ids.service;
  health.hour = hour_of(time);
  health.series = ids.series;
  health.t = time;
  health.gen = again;
  health.calls = sums[static_cast<std::size_t>(Carrier::calls)].count;
  health.alloc_objects = sums[static_cast<std::size_t>(Carrier::allocations)].count;
  health.alloc_bytes = sums[static_cast<std::size_t>(Carrier::allocations)].weight;
  this->health(window, std::move(health), rows);
  moments(window, time, ids, meaning, rows);
  methods(number / kWindowsOfMinute, window, meaning);
}

Amount RowMaker::profile(Carrier carrier, const Window& window, Profile10s row,
                         const Meaning& meaning, Rows& rows) {
  auto& out = rows.of<Profile10s>();
  const std::size_t begin = out.size();
  Amount sum;
  Amount more;
  const auto all = by_weight(carrier, window, meaning);
  const bool fits = all.size() <= most_rows_;
  for (const auto& [spot, amount] : all) {
    sum.merge(amount);
    if (!fits && out.size() - begin == most_rows_ - 1) {
      more.merge(amount);
      continue;
    }
    row.stack = stack(carrier, spot.node, meaning);
    row.subject = spot.subject == Spot::kNoClass ? 0 : frames_.type(spot.subject, meaning.names);
    row.count = amount.count;
    row.weight = amount.weight;
    out.push_back(row);
  }
  if (more.count != 0 || more.weight != 0) {
    row.stack = frames_.lone_stack(kMore);
    row.subject = 0;
    row.count = more.count;
    row.weight = more.weight;
    out.push_back(row);
  }
  join(out, begin);
  return sum;
}

void RowMaker::health(const Window& window, warehouse::Health10s row, Rows& rows) {
  row.cpu_ns = window.cpu_process != 0 ? window.cpu_process : window.cpu_threads;
  row.gcs = within(window.collections);
  row.pause_ns = window.paused;
  row.pause_max_ns = window.longest_pause;
  row.waits = within(window.waits);
  row.wait_ns = window.waited;
  row.throws = within(window.throws);
  row.heap_used = window.heap_used;
  row.threads = within(window.threads.size());
  row.events = window.events;
  row.lost = window.lost;
  fill_buckets(window.pauses, row.pause_bucket, row.pause_tally);
  rows.of<warehouse::Health10s>().push_back(std::move(row));
}

void RowMaker::moments(Window& window, std::uint32_t time, const SeriesIds& ids,
                       const Meaning& meaning, Rows& rows) {
  for (const auto& [method, figures] : window.methods)
    if (figures.longest != 0 && !meaning.names.is_helper(static_cast<std::uint32_t>(method)))
      window.add({MomentKind::call,
                  Carrier::calls,
                  figures.start,
                  figures.longest,
                  {figures.node},
                  meaning.names.threads()[figures.thread].id,
                  figures.block});
  if (window.throws >= analysis::ThrowBursts::kFewest)
    window.add({MomentKind::burst,
                Carrier::exceptions,
                window.first_throw,
                base::elapsed(window.first_throw, window.last_throw),
                {},
                0,
                window.throw_block});
  auto& out = rows.of<warehouse::Moment>();
  const std::size_t begin = out.size();
  for (const Happening& happening : window.happenings) {
    warehouse::Moment row;
    row.service = ids.service;
    row.kind = static_cast<std::uint8_t>(happening.kind);
    row.hour = hour_of(time);
    row.series = ids.series;
    row.t = time;
    row.at = windows_.wall(happening.at);
    row.took = static_cast<std::int64_t>(happening.took);
    row.stream = ids.stream;
    row.block = happening.block;
    row.thread = happening.thread;
    const std::uint32_t node = visible(happening.carrier, happening.spot.node, meaning);
    if (happening.kind == MomentKind::call)
      row.subject = frames_.method(visible_of(Carrier::calls).tree.method(node), meaning.names);
    else if (happening.spot.subject != Spot::kNoClass)
      row.subject = frames_.type(happening.spot.subject, meaning.names);
    if (node != StackTree::kRoot) row.stack = stack(happening.carrier, node, meaning);
    out.push_back(row);
  }
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
            [](const warehouse::Moment& a, const warehouse::Moment& b) {
              return std::tie(a.kind, a.at, a.thread, a.subject) <
                     std::tie(b.kind, b.at, b.thread, b.subject);
            });
}

void RowMaker::methods(std::int64_t minute, const Window& window, const Meaning& meaning) {
  Minute& sums = minutes_[minute];
  for (const auto& [spot, amount] : by_weight(Carrier::calls, window, meaning)) {
    if (spot.node == StackTree::kRoot) continue;
    const std::uint32_t innermost = visible_of(Carrier::calls).tree.method(spot.node);
    if (innermost == slice::Names::kOtherPaths) continue;
    Method& method = sums[frames_.method(innermost, meaning.names)];
    method.calls += amount.count;
    method.self += amount.weight;
  }
  for (const auto& [index, figures] : window.methods) {
    const auto number = static_cast<std::uint32_t>(index);
    if (meaning.names.is_helper(number)) continue;
    Method& method = sums[frames_.method(number, meaning.names)];
    method.total += figures.total;
    method.most = std::max(method.most, figures.most);
    method.sketch.merge(figures.sketch);
  }
}

void RowMaker::end_minutes(std::int64_t number, const SeriesIds& ids, Rows& rows) {
  while (!minutes_.empty() && (minutes_.begin()->first + 1) * kWindowsOfMinute - 1 <= number) {
    end_minute(minutes_.begin()->first, minutes_.begin()->second, ids, rows);
    minutes_.erase(minutes_.begin());
  }
}

std::set<std::int64_t> RowMaker::open_minutes() const {
  std::set<std::int64_t> open;
  for (const auto& [number, minute] : minutes_) open.insert(number);
  return open;
}

std::map<std::int64_t, std::uint8_t> RowMaker::ended_from(std::int64_t minute) const {
  std::map<std::int64_t, std::uint8_t> ended;
  for (const auto& [number, times] : ended_)
    if (static_cast<std::int64_t>(number) >= minute)
      ended.emplace(static_cast<std::int64_t>(number), times);
  return ended;
}

void RowMaker::go_on(const std::set<std::int64_t>& open,
                     const std::map<std::int64_t, std::uint8_t>& ended) {
  for (const std::int64_t number : open) minutes_.try_emplace(number);
  for (const auto& [number, times] : ended) ended_[static_cast<std::uint64_t>(number)] = times;
  mute_ = open;
}

void RowMaker::begin_apart(std::uint8_t first_gen) {
  first_gen_ = first_gen;
  mute_.clear();
  for (auto at = ended_.begin(); at != ended_.end(); ++at)
    at.value() = std::max(at->second, first_gen);
}

void RowMaker::forget_before(std::int64_t minute) {
  for (auto at = ended_.begin(); at != ended_.end();)
    at = static_cast<std::int64_t>(at->first) < minute ? ended_.erase(at) : std::next(at);
}

void RowMaker::end_minute(std::int64_t number, Minute& minute, const SeriesIds& ids, Rows& rows) {
  std::uint8_t& ended =
      ended_.try_emplace(static_cast<std::uint64_t>(number), first_gen_).first.value();
  if (ended == kOften) return;
  if (mute_.erase(number) != 0) {
    ++ended;
    return;
  }
  const auto time = static_cast<std::uint32_t>(number * kWindowsOfMinute * kWindowSeconds);
  std::vector<std::pair<const std::uint64_t, Method>*> all;
  for (auto& method : minute) all.push_back(&method);
  std::ranges::sort(all, [](const auto* a, const auto* b) {
    return std::tuple(b->second.self, b->second.total, b->second.calls, a->first) <
           std::tuple(a->second.self, a->second.total, a->second.calls, b->first);
  });
  all.resize(std::min(all.size(), kMostMethods));
  for (const auto* method : all) {
    warehouse::Methods1m row;
    row.service = ids.service;
    row.hour = hour_of(time);
    row.method = method->first;
    row.series = ids.series;
    row.t = time;
    row.gen = ended;
    row.calls = method->second.calls;
    row.self_ns = method->second.self;
    row.total_ns = method->second.total;
    row.max_ns = method->second.most;
    fill_buckets(method->second.sketch, row.bucket, row.tally);
    rows.of<warehouse::Methods1m>().push_back(std::move(row));
  }
  ++ended;
}

}  // namespace polytrace::collector
