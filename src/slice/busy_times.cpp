// SPDX-License-Identifier: Apache-2.0
#include "slice/busy_times.hpp"

#include <algorithm>
#include <limits>

#include "base/slot.hpp"
#include "base/types.hpp"

namespace polytrace::slice {
namespace {

constexpr base::Time kCell = 10'000'000;  // nanoseconds
constexpr std::uint64_t kShort = 50'000;  // pieces that are not kept by themselves
// Of a thread, without figures: the older half is then unknown.
constexpr std::size_t kMaxPieces = std::size_t{1} << 16;
// Of a thread, without calls: two neighbours are then one.
constexpr std::size_t kMaxFigures = std::size_t{1} << 12;
// How much earlier than its thread's calls a figure may be and come behind them.
constexpr std::uint64_t kFigureLate = 2'000'000'000;

std::uint64_t scaled(std::uint64_t value, std::uint64_t part, std::uint64_t whole) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(value) * part / whole);
}

// Our own recorders do unless they are told not to.
bool will_tell(const event::Process& process) {
  return process.agent.starts_with("polytrace") &&
         process.options.find("cpu=off") == std::string_view::npos;
}

}  // namespace

BusyTimes::Piece BusyTimes::Piece::part(base::Time begin, base::Time end) const {
  begin = std::max(begin, from);
  end = std::min(end, to);
  if (begin >= end) return {begin, begin, 0, key, 0};
  if (begin == from && end == to) return *this;
  const std::uint64_t length = base::elapsed(begin, end), all = base::elapsed(from, to);
  const auto pieces = static_cast<std::uint32_t>(scaled(count, length, all));
  return {begin, end, scaled(time, length, all), key, std::max(pieces, 1U)};
}

BusyTimes::BusyTimes(const Selection& selection) : selection_(selection) {}

void BusyTimes::consume(const Slice& slice) {
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = slice.batch.events[i];
    if (event.kind == event::Kind::Process &&
        will_tell(slice.batch.details_or<event::Process>(event, {})))
      patience_ = std::numeric_limits<std::uint32_t>::max();
    if (event.kind != event::Kind::Cpu) continue;
    const auto cpu = slice.batch.details_or<event::Cpu>(event, {});
    if (cpu.scope != event::CpuScope::thread || !selection_.threads.has(slice.batch.thread(event)))
      continue;
    known_ = true;
    patience_ = 1;
    Figure figure{
        event.time, static_cast<std::uint64_t>(std::max<base::Duration>(cpu.span, 0)), {}};
    if (cpu.bogus == 0 && cpu.used >= 0) figure.used = static_cast<std::uint64_t>(cpu.used);
    add_figure(base::slot(threads_, slice.threads[event.thread]), figure);
  }
  if (!known_) return;
  for (Thread& thread : threads_) share_out(thread, false);
  cell_ = base::kNoTime;  // pieces have moved
}

void BusyTimes::add_figure(Thread& thread, const Figure& figure) {
  auto& all = thread.figures;
  all.insert(std::ranges::upper_bound(all, figure.time, {}, &Figure::time), figure);
  if (all.size() <= kMaxFigures) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    Figure both = all[i + 1];
    if (all[i].used && both.used) *both.used += *all[i].used;
    both.span = all[i].span == 0 ? 0 : all[i].span + base::elapsed(all[i].time, both.time);
    all[kept++] = both;
  }
  if (all.size() % 2 != 0) all[kept++] = all.back();
  all.resize(kept);
}

void BusyTimes::take(std::uint32_t thread, std::uint32_t key, base::Time to, std::uint64_t waited) {
  if (!wanted()) return;
  if (!known_ && --patience_ == 0) {
    threads_ = {};
    cell_ = base::kNoTime;
    return;
  }
  Thread& one = base::slot(threads_, thread);
  const base::Time last = one.last;
  const std::uint64_t waits = waited - one.waited;
  one.waited = waited;
  if (last == base::kNoTime || to > last) one.last = to;
  if (key == kNobody || last == base::kNoTime) return;
  const base::Time from = std::max(last, selection_.from);
  to = std::min(to, selection_.to);
  if (from >= to) return;
  const std::uint64_t time = base::elapsed(from, to);
  const std::uint64_t known_wait = std::min(waits, time);
  if (known_wait != 0 && !selection_.subtract_waits) base::slot(times_, key).waiting += known_wait;
  if (time != known_wait) add_piece(thread, one, {from, to, time - known_wait, key, 1});
}

void BusyTimes::add_piece(std::uint32_t number, Thread& thread, const Piece& piece) {
  if (thread.pieces.size() >= kMaxPieces) {
    thread.pieces.erase(thread.pieces.begin(), thread.pieces.begin() + kMaxPieces / 2);
    cell_ = base::kNoTime;
  }
  const base::Time cell = piece.from / kCell;
  if (base::elapsed(piece.from, piece.to) >= kShort || piece.to / kCell != cell)
    return thread.pieces.push_back(piece);
  if (cell != cell_ || number != thread_) {
    cell_ = cell;
    thread_ = number;
    ++cells_;
  }
  Place& place = base::slot(places_, piece.key);
  if (place.cell != cells_) {
    place = {cells_, static_cast<std::uint32_t>(thread.pieces.size())};
    return thread.pieces.push_back(piece);
  }
  Piece& same = thread.pieces[place.piece];
  same.to = piece.to;
  same.time += piece.time;
  ++same.count;
}

void BusyTimes::share_out(Thread& thread, bool all) {
  auto& figures = thread.figures;
  const auto is_due = [&](const Figure& figure) {
    return all || (thread.last != base::kNoTime &&
                   figure.time < base::time_before(thread.last, kFigureLate));
  };
  std::size_t done = 0;
  for (; done < figures.size() && is_due(figures[done]); ++done) share_out(thread, figures[done]);
  figures.erase(figures.begin(), figures.begin() + static_cast<std::ptrdiff_t>(done));
}

// As in ThreadCpu: between a figure and the next one's stretch, the thread used none.
void BusyTimes::share_out(Thread& thread, const Figure& figure) {
  const base::Time before = thread.shared;
  if (before != base::kNoTime && figure.time <= before) return;
  thread.shared = figure.time;
  thread.idle = figure.used == 0U;
  if (!figure.used) return;
  const base::Time from =
      figure.span == 0 ? before : std::max(base::time_before(figure.time, figure.span), before);
  if (from == base::kNoTime) return;
  if (before != base::kNoTime && before < from) share_out(thread.pieces, {before, from, 0});
  share_out(thread.pieces, {from, figure.time, *figure.used});
}

// Of the CPU time, no more than the pieces' own: the rest was used where no call was recorded.
void BusyTimes::share_out(std::vector<Piece>& pieces, const Stretch& stretch) {
  parts_.clear();
  std::size_t reached = 0;
  std::size_t kept = 0;
  for (; reached < pieces.size() && pieces[reached].from < stretch.to; ++reached) {
    const Piece& piece = pieces[reached];
    if (const Piece part = piece.part(stretch.from, stretch.to); part.time != 0)
      parts_.push_back(part);
    if (piece.to > stretch.to) pieces[kept++] = piece.part(stretch.to, piece.to);
  }
  pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(kept),
               pieces.begin() + static_cast<std::ptrdiff_t>(reached));
  const double share = share_of_each(parts_, stretch.used);
  for (const Piece& part : parts_) {
    const double most = share * part.count;
    const std::uint64_t busy =
        most < static_cast<double>(part.time) ? static_cast<std::uint64_t>(most) : part.time;
    base::slot(times_, part.key).add({busy, part.time - busy});
  }
}

double BusyTimes::share_of_each(std::vector<Piece>& parts, std::uint64_t used) {
  const auto length = [](const Piece& part) { return static_cast<double>(part.time) / part.count; };
  std::ranges::sort(parts, {}, length);
  auto left = static_cast<double>(used);
  double count = 0;
  for (const Piece& part : parts) count += part.count;
  for (const Piece& part : parts) {
    if (length(part) * count >= left) return left / count;
    left -= static_cast<double>(part.time);
    count -= part.count;
  }
  return std::numeric_limits<double>::infinity();
}

void BusyTimes::rename(std::vector<Times>& times, std::span<const std::uint32_t> keys) {
  std::vector<Times> renamed;
  for (std::size_t i = 0; i < times.size() && i < keys.size(); ++i)
    base::slot(renamed, keys[i]).add(times[i]);
  times = std::move(renamed);
}

void BusyTimes::rename(std::span<const std::uint32_t> keys) {
  rename(times_, keys);
  for (Thread& thread : threads_)
    for (Piece& piece : thread.pieces) piece.key = keys[piece.key];
  cell_ = base::kNoTime;
}

std::vector<BusyTimes::Times> BusyTimes::finish() {
  for (Thread& thread : threads_) {
    share_out(thread, true);
    if (thread.idle) share_out(thread.pieces, {thread.shared, thread.last, 0});
  }
  threads_ = {};
  places_ = {};
  return std::move(times_);
}

}  // namespace polytrace::slice
