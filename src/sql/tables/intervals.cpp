// SPDX-License-Identifier: Apache-2.0
// What lasted a while and is no call: paired by the index, kept from the first question on.
#include <array>
#include <mutex>

#include "sql/tables/tables.hpp"
#include "sql/trace/rows.hpp"
#include "store/ask/events/intervals.hpp"

namespace polytrace::sql {
namespace {

using event::Kind;
using slice::SpanKind;
using How = store::Interval::How;

constexpr std::size_t kMostFields = 4;
constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

struct Lasting {
  base::Time start;
  base::Time end;
  std::uint32_t thread;
  How how;
  std::uint64_t subject;
  std::uint64_t collection;
  std::optional<std::uint64_t> pause;
  std::array<std::uint64_t, kMostFields> begun;
  std::array<std::uint64_t, kMostFields> ended;
};

// Of one kind, in order of start.
class Intervals {
 public:
  Intervals(TracePointer trace, SpanKind kind, std::vector<std::string_view> fields)
      : trace_(std::move(trace)), kind_(kind) {
    for (const std::string_view field : fields)
      fields_.push_back(field == "path"    ? store::kPathField
                        : field == "class" ? store::kKnownClassField
                                           : store::field_number(store::rows_of(kind), field));
  }

  base::result<std::uint64_t> rows() const {
    std::call_once(once_, [this] { load(); });
    if (fault_) return tl::unexpected(*fault_);
    return all_.size();
  }
  // At most so many, without looking at them.
  double expected() const {
    return static_cast<double>(KindRows(trace_->store(), store::rows_of(kind_)).rows());
  }
  const Lasting& at(std::uint64_t row) const { return all_[row]; }
  const Trace& trace() const { return *trace_; }

 private:
  static void copy(std::span<const std::uint64_t> from,
                   std::array<std::uint64_t, kMostFields>& to) {
    to.fill(kUnknown);
    std::ranges::copy(from.first(std::min(from.size(), to.size())), to.begin());
  }
  void load() const {
    const auto take = [this](const store::Interval& one) {
      Lasting& kept = all_.emplace_back(Lasting{
          one.start, one.end, one.thread, one.how, one.subject, one.collection, one.pause, {}, {}});
      copy(one.begun, kept.begun);
      copy(one.ended, kept.ended);
    };
    if (auto done = trace_->store().intervals(kind_, {}, fields_, take); !done)
      fault_ = done.error();
    std::ranges::stable_sort(all_, {}, &Lasting::start);
  }

  TracePointer trace_;
  SpanKind kind_;
  std::vector<std::uint16_t> fields_;
  mutable std::once_flag once_;
  mutable std::vector<Lasting> all_;
  mutable std::optional<base::Error> fault_;
};

using Intervalled = std::shared_ptr<const Intervals>;
using CellOf = Value (*)(const Intervals& all, const Lasting& row, int column);

// What all of them begin with: id, ts, dur and, but of pauses, utid.
Value common_cell(const Lasting& one, std::uint64_t row, int column) {
  switch (column) {
    case 0: return Value::of(row);
    case 1: return Value::of(std::int64_t{one.start});
    case 2: return Value::of(base::elapsed(one.start, one.end));
    default: return index_value(one.thread);
  }
}

TablePointer interval_table(TableId id, Intervalled all, int common, int meets, CellOf cell) {
  auto table = std::make_unique<ListedTable>(
      id, 1, [all] { return all->rows(); },
      [=](std::uint64_t row, int column) {
        const Lasting& one = all->at(row);
        return column < common ? common_cell(one, row, column) : cell(*all, one, column);
      });
  table->set_interval({.ts = 1, .dur = 2, .meets = meets});
  table->set_expected(all->expected());
  return table;
}

Value optional_value(std::uint64_t number) {
  return number == kUnknown ? Value() : Value::of(number);
}

Value path_value(const Intervals& all, std::uint64_t path) {
  const bool is_one = path < all.trace().store().paths().size() && path != store::kEmptyPath;
  return is_one ? Value::of(path) : Value();
}
Value path_method(const Intervals& all, std::uint64_t path) {
  if (path_value(all, path).is_null()) return {};
  return index_value(all.trace().store().paths().method(static_cast<std::uint32_t>(path)));
}
Value path_name(const Intervals& all, std::uint64_t path) {
  if (path_value(all, path).is_null()) return {};
  return Value::name(all.trace().path_name(static_cast<std::uint32_t>(path)));
}

Value cell_of_gc(const Intervals& all, const Lasting& one, int column) {
  using At = GcColumns;
  switch (column) {
    case At::generation:
      return one.subject == base::kNoId || one.subject > UINT32_MAX - 1 ? Value()
                                                                        : Value::of(one.subject);
    case At::reason: return Value::told(all.trace().store().texts().text(one.begun[0]));
    case At::collection: return one.collection == 0 ? Value() : Value::of(one.collection);
    case At::pause_ns: return one.pause ? Value::of(*one.pause) : Value();
    default: return {};
  }
}

// As one of its events tells it, else by the object, else as other waits for it tell.
std::uint32_t class_of_lock(const Intervals& all, const Lasting& one) {
  const bool has_end = one.how != How::open;
  if (one.begun[3] != kUnknown) return all.trace().class_with(one.begun[3]);
  if (has_end && one.ended[3] != kUnknown) return all.trace().class_with(one.ended[3]);
  if (one.begun[0] < store::kNoIndex) return static_cast<std::uint32_t>(one.begun[0]);
  if (has_end && one.ended[0] < store::kNoIndex) return static_cast<std::uint32_t>(one.ended[0]);
  return all.trace().store().frames().lock_class(one.subject);
}

Value cell_of_lock(const Intervals& all, const Lasting& one, int column) {
  using At = LockWaitColumns;
  const std::uint32_t type = class_of_lock(all, one);
  switch (column) {
    case At::object_id: return Value::told(all.trace().id_name(one.subject));
    case At::class_id:
      return type == store::kNoIndex ? Value() : Value::of(all.trace().class_of(type));
    case At::class_name: return Value::name(all.trace().class_name(type));
    case At::owner_utid: return all.trace().thread_at(one.begun[1], one.start);
    case At::got: return Value::of(std::int64_t{one.how == How::ended});
    case At::path_id: return path_value(all, one.begun[2]);
    case At::method_id: return path_method(all, one.begun[2]);
    case At::name: return path_name(all, one.begun[2]);
    default: return {};
  }
}

Value cell_of_wait(const Intervals& all, const Lasting& one, int column) {
  using At = ObjectWaitColumns;
  switch (column) {
    case At::object_id: return Value::told(all.trace().id_name(one.subject));
    case At::timeout_ns: return one.begun[0] == 0 ? Value() : optional_value(one.begun[0]);
    case At::path_id: return path_value(all, one.begun[1]);
    case At::name: return path_name(all, one.begun[1]);
    default: return {};
  }
}

Value cell_of_jit(const Intervals& all, const Lasting& one, int column) {
  using At = JitColumns;
  const bool is_known = one.subject < store::kNoIndex;
  switch (column) {
    case At::method_id: return is_known ? Value::of(one.subject) : Value();
    case At::name:
      return is_known
                 ? Value::name(all.trace().method_name(static_cast<std::uint32_t>(one.subject)))
                 : Value();
    case At::status: return one.how == How::open ? Value() : optional_value(one.ended[0]);
    default: return {};
  }
}

Value no_cell(const Intervals&, const Lasting&, int) { return {}; }

Intervalled intervals_of(const TracePointer& trace, SpanKind kind,
                         std::vector<std::string_view> fields) {
  return std::make_shared<const Intervals>(trace, kind, std::move(fields));
}

}  // namespace

TablePointer gc_table(const TracePointer& trace) {
  return interval_table(TableId::Gc, intervals_of(trace, SpanKind::collection, {"reason"}), 4,
                        GcColumns::meets, cell_of_gc);
}

TablePointer gc_pause_table(const TracePointer& trace) {
  return interval_table(TableId::GcPause, intervals_of(trace, SpanKind::stop, {}), 3,
                        GcPauseColumns::meets, no_cell);
}

TablePointer lock_wait_table(const TracePointer& trace) {
  return interval_table(TableId::LockWait,
                        intervals_of(trace, SpanKind::lock, {"class", "owner", "path", "class_id"}),
                        4, LockWaitColumns::meets, cell_of_lock);
}

TablePointer object_wait_table(const TracePointer& trace) {
  return interval_table(TableId::ObjectWait,
                        intervals_of(trace, SpanKind::wait, {"timeout", "path"}), 4,
                        ObjectWaitColumns::meets, cell_of_wait);
}

TablePointer jit_table(const TracePointer& trace) {
  return interval_table(TableId::Jit, intervals_of(trace, SpanKind::compilation, {"status"}), 4,
                        JitColumns::meets, cell_of_jit);
}

}  // namespace polytrace::sql
