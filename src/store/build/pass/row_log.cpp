// SPDX-License-Identifier: Apache-2.0
#include "store/build/pass/row_log.hpp"

#include <utility>

#include "base/limits.hpp"
#include "base/slot.hpp"
#include "event/visit.hpp"

namespace polytrace::store {
namespace {

using event::Kind;

// The stack that an event tells; null where it tells none or its kind has none.
class StackFinder {
 public:
  template <event::Tag tag, class T>
  void field(std::string_view, const T& value) {
    if constexpr (tag == event::Tag::kStack) {
      has = true;
      told = value.present();
    }
  }
  bool has = false;
  bool told = false;
};

// Whether the kind has a stack and this event does not tell it.
bool lacks_stack(const event::Batch& batch, const event::Event& event) {
  StackFinder finder;
  event::with_details(batch, event,
                      [&](const auto& details) { event::visit_fields(finder, details); });
  return finder.has && !finder.told;
}

}  // namespace

// The frames' methods have their indexes, and with them the path gives the frames back. In a full
// table paths are merged: then it does not. Nor do readers take one of that many frames for true.
StackPath RowLogs::path(std::span<const base::Id> frames) {
  std::uint32_t at = 0;
  bool is_exact = frames.size() <= base::Limits{}.stack_depth;
  for (const base::Id frame : frames) {
    const std::uint32_t method = names_.methods().index(frame);
    const std::uint32_t child = paths_.child(at, method);
    is_exact = is_exact && paths_.parent(child) == at;
    at = child;
  }
  has_frames_ = has_frames_ || !is_exact;
  return {at, is_exact};
}

RowLogs::Log& RowLogs::log_of(Kind kind) {
  auto& log = logs_[static_cast<std::size_t>(kind)];
  if (log == nullptr) {
    log = std::make_unique<Log>(Log{RowEncoder(kind, texts_, this)});
    for (const SumKind sums : kSumKinds)
      if (store::rows_of(sums) == kind) log->sums.emplace(*(log->sums_kind = sums));
  }
  return *log;
}

std::uint64_t RowLogs::known_class(const event::Batch& batch, const event::Event& event) const {
  base::Id told = base::kNoId;
  if (event.kind == Kind::Throw) told = batch.details_or<event::Throw>(event, {}).class_id;
  if (event.kind == Kind::Monitor) told = batch.details_or<event::Monitor>(event, {}).class_id;
  if (told != base::kNoId)
    return event.kind == Kind::Throw ? names_.classes().index(told) : Derived::kNone;
  const std::uint32_t recent = recent_.find(event.id);
  return recent == slice::RecentClasses::kNone ? Derived::kNone : recent;
}

void RowLogs::note_lock(const event::Batch& batch, const event::Event& event, std::uint64_t known) {
  const auto details = batch.details_or<event::Monitor>(event, {});
  if (details.stage != event::MonitorStage::contended) return;
  Lock& lock = locks_[event.id];
  if (details.class_id != base::kNoId) known = names_.classes().index(details.class_id);
  if (lock.class_index == Derived::kNone) lock.class_index = known;
  lock.is_needed = lock.is_needed || known == Derived::kNone;
}

std::vector<LockWhole> RowLogs::locks() const {
  std::vector<LockWhole> all;
  for (const auto& [object, lock] : locks_) {
    if (!lock.is_needed) continue;
    const std::uint32_t recent = recent_.find(object);
    if (lock.class_index != Derived::kNone) all.push_back({object, lock.class_index});
    else if (recent != slice::RecentClasses::kNone) all.push_back({object, recent});
  }
  std::ranges::sort(all, {}, &LockWhole::object);
  return all;
}

Derived RowLogs::derive(const event::Batch& batch, const event::Event& event, std::uint32_t thread,
                        std::uint32_t path) {
  Derived derived;
  if (lacks_stack(batch, event)) derived.path = path;
  switch (event.kind) {
    case Kind::Alloc: {
      const base::Id object = batch.details_or<event::Alloc>(event, {}).object;
      if (object != base::kNoId) recent_.add(object, names_.classes().index(event.id));
      break;
    }
    case Kind::Move:
      recent_.move(event.id, batch.details_or<event::Move>(event, {}).to);
      ++base::slot(moved_, thread);
      break;
    case Kind::Gc: derived.moved = std::exchange(base::slot(moved_, thread), 0); break;
    case Kind::Monitor:
      derived.class_index = known_class(batch, event);
      note_lock(batch, event, derived.class_index);
      break;
    case Kind::Wait:
    case Kind::Throw: derived.class_index = known_class(batch, event); break;
    default: break;
  }
  return derived;
}

void RowLogs::add(const event::Batch& batch, const event::Event& event, std::uint32_t thread,
                  std::uint64_t subject, std::uint32_t path) {
  Log& log = log_of(event.kind);
  log.encoder.add(batch, event, thread, subject, derive(batch, event, thread, path));
  if (log.encoder.full()) close(log, RowEncoder::Memory::plenty);
}

void RowLogs::close(Log& log, RowEncoder::Memory memory) {
  if (log.encoder.rows() == 0) return;
  const auto segment = std::make_shared<RowSegment>(log.encoder.take(log.rows, memory));
  log.rows += segment->rows();
  std::vector<RowSumLevels::Frame> sums;
  if (log.sums)
    log.sums->add(segment->columns(), segment->first_row(),
                  [&](RowSumLevels::Frame made) { sums.push_back(std::move(made)); });
  jobs_.add(piece_of(*segment), [segment](Piece& to) { segment->encode(to.payload); });
  for (RowSumLevels::Frame& made : sums) jobs_.add(piece_of(*log.sums_kind, std::move(made)));
}

void RowLogs::copy(std::vector<Piece>& to) const {
  for (const auto& log : logs_) {
    if (log == nullptr || log->encoder.rows() == 0) continue;
    RowSegment segment = log->encoder.copy(log->rows);
    to.push_back(piece_of(segment));
    segment.encode(to.back().payload);
    if (log->sums_kind)
      RowSumLevels(*log->sums_kind)
          .add(segment.columns(), segment.first_row(), [&](RowSumLevels::Frame made) {
            to.push_back(piece_of(*log->sums_kind, std::move(made)));
          });
  }
}

Piece RowLogs::piece_of(const RowSegment& segment) {
  return {.entry = {.kind = frame::rows,
                    .stream = kind_number(segment.kind()),
                    .count = segment.rows(),
                    .number = segment.first_row(),
                    .least = segment.least(),
                    .greatest = segment.greatest()},
          .payload = {}};
}

Piece RowLogs::piece_of(SumKind kind, RowSumLevels::Frame sums) {
  return {.entry = {.kind = frame::row_sums,
                    .stream = kind_number(store::rows_of(kind)),
                    .level = sums.level + 256 * static_cast<std::uint32_t>(kind),
                    .count = sums.entries,
                    .number = sums.first_row,
                    .least = sums.least,
                    .greatest = sums.greatest},
          .payload = std::move(sums.payload)};
}

// Not of sums: closing segments frees none of them, and they have a bound of their own.
std::size_t RowLogs::bytes() const {
  std::size_t sum = 0;
  for (const auto& log : logs_)
    if (log != nullptr) sum += log->encoder.bytes();
  return sum;
}

void RowLogs::close_largest(std::size_t most_bytes) {
  while (bytes() > most_bytes) {
    std::size_t largest = event::kKindCount;
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      if (logs_[i] == nullptr || logs_[i]->encoder.rows() == 0) continue;
      const bool more = largest == event::kKindCount ||
                        logs_[i]->encoder.bytes() > logs_[largest]->encoder.bytes();
      if (more) largest = i;
    }
    if (largest == event::kKindCount) return;
    close(*logs_[largest], RowEncoder::Memory::is_short);
  }
}

void RowLogs::close_all() {
  for (const auto& log : logs_)
    if (log != nullptr) close(*log, RowEncoder::Memory::is_short);
}

}  // namespace polytrace::store
