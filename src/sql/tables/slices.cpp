// SPDX-License-Identifier: Apache-2.0
// Calls one by one, read of the index as they are asked for.
#include <optional>
#include <set>

#include "sql/model/meeting.hpp"
#include "sql/tables/tables.hpp"
#include "sql/trace/matching.hpp"

namespace polytrace::sql {
namespace {

using At = SliceColumns;
using Test = Condition::Test;

constexpr std::uint32_t kNoThread = store::kThreadsWithoutEvents - 1;

std::uint32_t thread_number(std::int64_t utid) {
  return utid < 0 || utid >= kNoThread ? kNoThread : static_cast<std::uint32_t>(utid);
}

bool matches_name(const Condition& condition, std::string_view name) {
  static const std::atomic<bool> never{false};
  switch (condition.test) {
    case Test::equal: return condition.value.text == name;
    case Test::any_of:
      return std::ranges::any_of(condition.list,
                                 [&](const Value& one) { return one.text == name; });
    case Test::glob:
      return matches({.text = condition.value.text, .kind = Pattern::Kind::glob}, name, never);
    case Test::like:
      return matches({.text = condition.value.text, .kind = Pattern::Kind::like}, name, never);
    default: return true;
  }
}

// The methods that the conditions leave; nothing: all.
std::optional<store::MethodSet> methods_of(const Trace& trace, const Scan& scan) {
  const store::Paths& paths = trace.store().paths();
  std::optional<std::set<std::uint32_t>> left;
  const auto leave = [&](std::set<std::uint32_t> some) {
    if (left) std::erase_if(some, [&](std::uint32_t one) { return !left->contains(one); });
    left = std::move(some);
  };
  for (const Condition& condition : scan.conditions) {
    if (condition.column == At::name) {
      std::set<std::uint32_t> some;
      for (std::uint32_t i = 0; i < trace.methods().size(); ++i)
        if (matches_name(condition, trace.methods()[i].name)) some.insert(i);
      leave(std::move(some));
      continue;
    }
    const bool is_one = condition.test == Test::equal && condition.value.is_integer();
    const std::int64_t value = condition.value.integer;
    if (condition.column == At::method_id && is_one)
      leave(value < 0 || value >= store::kNoMethod ? std::set<std::uint32_t>()
                                                   : std::set{static_cast<std::uint32_t>(value)});
    if (condition.column == At::path_id && is_one && value > 0 && value < paths.size() &&
        !paths.is_merged(static_cast<std::uint32_t>(value)))
      leave({paths.method(static_cast<std::uint32_t>(value))});
  }
  if (!left) return {};
  return store::MethodSet(left->begin(), left->end());
}

// A superset of what the conditions leave.
store::Range range_of(const Trace& trace, const Scan& scan, const std::optional<Meeting>& meeting) {
  store::Range range{.stop = scan.stop};
  const Scan::Bounds starts = scan.bounds(At::ts);
  range.from = starts.least;
  if (starts.most != INT64_MAX) range.to = starts.most + 1;
  if (meeting) {
    range.from = std::max(range.from, meeting->from);
    range.to = std::min(range.to, meeting->to);
  }
  const auto take_threads = [&](int column, std::int64_t divisor) {
    for (const Condition& condition : scan.conditions) {
      if (condition.column != column) continue;
      if (condition.test == Test::equal && condition.value.is_integer())
        range.threads = {thread_number(condition.value.integer / divisor)};
      if (condition.test == Test::any_of)
        for (const Value& one : condition.list)
          range.threads.push_back(thread_number(one.integer / divisor));
    }
  };
  take_threads(At::track_id, 2);
  if (range.threads.empty()) take_threads(At::utid, 1);
  std::ranges::sort(range.threads);
  range.threads.erase(std::ranges::unique(range.threads).begin(), range.threads.end());
  // One call, or those of one caller, lie where that call is.
  for (const int column : {int{At::id}, int{At::parent_id}}) {
    const Scan::Bounds ids = scan.bounds(column);
    if (!ids.is_one()) continue;
    const auto call = trace.store().call(static_cast<store::SliceId>(ids.least));
    if (!call) return {.from = 0, .to = 0, .threads = {kNoThread}};
    range.threads = {call->thread};
    range.from = std::max(range.from, call->start);
    const base::Time last = column == At::id ? call->start : call->end;
    range.to = std::min(range.to, end_of(last, 1));
  }
  return range;
}

class SliceCursor final : public Cursor {
 public:
  SliceCursor(TracePointer trace, const Scan& scan)
      : trace_(std::move(trace)),
        meeting_(meeting_of(scan, At::meets)),
        methods_(methods_of(*trace_, scan)),
        scan_(trace_->store().frames(), range_of(*trace_, scan, meeting_),
              methods_ ? &*methods_ : nullptr,
              (scan.columns >> At::self_dur & 1) != 0 ? store::SelfTimes::told
                                                      : store::SelfTimes::left_out) {
    for (const Condition& condition : scan.conditions)
      if (condition.column != At::meets && condition.column != At::name)
        conditions_.push_back(condition);
    is_empty_ = methods_ && methods_->empty();
  }

  base::result<bool> next() override {
    while (!is_empty_) {
      if (page_ == nullptr || ++at_ >= page_->calls.size()) {
        const auto page = scan_.next();
        if (!page) return tl::unexpected(page.error());
        page_ = *page;
        at_ = 0;
        if (page_ == nullptr) return false;
        if (page_->calls.empty()) continue;
      }
      if (fits()) return true;
    }
    return false;
  }

  Value value(int column) const override {
    const store::Paths& paths = trace_->store().paths();
    const std::uint32_t path = page_->paths[at_];
    switch (column) {
      case At::id: return Value::of(page_->calls[at_]);
      case At::ts: return Value::of(std::int64_t{page_->starts[at_]});
      case At::dur: return Value::of(base::elapsed(page_->starts[at_], page_->ends[at_]));
      case At::utid: return Value::of(page_->thread);
      case At::track_id: return Value::of(2 * std::int64_t{page_->thread});
      case At::depth: return Value::of(page_->depths[at_]);
      case At::parent_id:
        return page_->callers[at_] == store::kNoSlice ? Value() : Value::of(page_->callers[at_]);
      case At::path_id:
      case At::stack_id: return Value::of(path);
      case At::method_id: return index_value(paths.method(path));
      case At::name: return Value::name(trace_->path_name(path));
      case At::category: return Value::name("call");
      case At::self_dur: return self();
      case At::how: return Value::name(how());
      case At::parent_stack_id:
        return paths.parent(path) == store::kEmptyPath ? Value() : Value::of(paths.parent(path));
      default: return {};
    }
  }

 private:
  bool fits() const {
    if (meeting_ && !meeting_->meets(page_->starts[at_], page_->ends[at_])) return false;
    return std::ranges::all_of(conditions_, [&](const Condition& condition) {
      return condition.holds(value(condition.column));
    });
  }
  Value self() const {
    if (page_->selfs.empty() || page_->selfs[at_] == store::kNoSelf) return {};
    return Value::of(page_->selfs[at_]);
  }
  std::string_view how() const {
    switch (page_->hows[at_]) {
      case store::EndKind::leave: return "leave";
      case store::EndKind::unwind: return "unwind";
      case store::EndKind::cut: return "cut";
      default: return "end";
    }
  }

  TracePointer trace_;
  std::optional<Meeting> meeting_;
  std::optional<store::MethodSet> methods_;
  store::SliceScan scan_;
  std::vector<Condition> conditions_;
  const store::SlicePage* page_ = nullptr;
  std::size_t at_ = 0;
  bool is_empty_ = false;
};

// Columns that pages have; nothing of what is text.
bool has_number_pages(int column) {
  switch (column) {
    case At::id:
    case At::ts:
    case At::dur:
    case At::utid:
    case At::track_id:
    case At::depth:
    case At::parent_id:
    case At::path_id:
    case At::stack_id:
    case At::method_id:
    case At::self_dur: return true;
    default: return false;
  }
}

class SlicePages final : public NumberPages {
 public:
  SlicePages(TracePointer trace, std::span<const int> columns, const std::atomic<bool>* stop)
      : trace_(std::move(trace)),
        columns_(columns.begin(), columns.end()),
        scan_(trace_->store().frames(), {.stop = stop}, nullptr,
              std::ranges::find(columns, int{At::self_dur}) != columns.end()
                  ? store::SelfTimes::told
                  : store::SelfTimes::left_out),
        numbers_(columns.size()),
        nulls_(columns.size()) {}

  base::result<std::size_t> next() override {
    for (;;) {
      const auto page = scan_.next();
      if (!page) return tl::unexpected(page.error());
      if (*page == nullptr) return 0;
      if ((*page)->calls.empty()) continue;
      for (std::size_t i = 0; i < columns_.size(); ++i) fill(**page, i);
      return (*page)->calls.size();
    }
  }
  std::span<const std::int64_t> numbers(std::size_t place) const override {
    return numbers_[place];
  }
  std::span<const std::uint8_t> nulls(std::size_t place) const override { return nulls_[place]; }

 private:
  void fill(const store::SlicePage& page, std::size_t place) {
    const store::Paths& paths = trace_->store().paths();
    switch (columns_[place]) {
      case At::id: return copy(place, page.calls);
      case At::ts: return copy(place, page.starts);
      case At::dur:
        return make(place, page,
                    [&](std::size_t i) { return base::elapsed(page.starts[i], page.ends[i]); });
      case At::utid: return numbers_[place].assign(page.calls.size(), page.thread);
      case At::track_id:
        return numbers_[place].assign(page.calls.size(), 2 * std::int64_t{page.thread});
      case At::depth: return copy(place, page.depths);
      case At::parent_id:
        copy(place, page.callers);
        return mark(place, page, [&](std::size_t i) { return page.callers[i] == store::kNoSlice; });
      case At::method_id:
        make(place, page, [&](std::size_t i) { return paths.method(page.paths[i]); });
        return mark(place, page, [&](std::size_t i) {
          return numbers_[place][i] == std::int64_t{store::kNoIndex};
        });
      case At::self_dur:
        make(place, page, [&](std::size_t i) { return page.selfs[i]; });
        return mark(place, page, [&](std::size_t i) { return page.selfs[i] == store::kNoSelf; });
      default: return copy(place, page.paths);
    }
  }
  template <class Numbers>
  void copy(std::size_t place, const Numbers& from) {
    auto& to = numbers_[place];
    to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<std::int64_t>(from[i]);
  }
  template <class Number>
  void make(std::size_t place, const store::SlicePage& page, Number number) {
    auto& to = numbers_[place];
    to.resize(page.calls.size());
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::int64_t>(number(i));
  }
  template <class IsNull>
  void mark(std::size_t place, const store::SlicePage& page, IsNull is_null) {
    auto& to = nulls_[place];
    to.resize(page.calls.size());
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = is_null(i) ? 1 : 0;
  }

  TracePointer trace_;
  std::vector<int> columns_;
  store::SliceScan scan_;
  std::vector<std::vector<std::int64_t>> numbers_;
  std::vector<std::vector<std::uint8_t>> nulls_;
};

class SliceTable final : public Table {
 public:
  explicit SliceTable(TracePointer trace) : trace_(std::move(trace)) {}

  const TableInfo& info() const override { return describe(TableId::Slice); }
  double estimate(std::uint64_t equal, std::uint64_t ranges) const override {
    const double all = static_cast<double>(trace_->store().facts().totals.events) / 2 + 1;
    const auto has = [&](int column) { return (equal >> column & 1) != 0; };
    if (has(At::id)) return 1;
    if (has(At::parent_id)) return 10;
    if (has(At::meets)) return all / 1000 + 1;
    if (equal != 0) return all / 100 + 1;
    return ranges != 0 ? all / 4 + 1 : all;
  }
  base::result<std::unique_ptr<Cursor>> open(const Scan& scan) const override {
    return std::make_unique<SliceCursor>(trace_, scan);
  }
  std::unique_ptr<NumberPages> pages(std::span<const int> columns,
                                     const std::atomic<bool>* stop) const override {
    if (!std::ranges::all_of(columns, has_number_pages)) return nullptr;
    return std::make_unique<SlicePages>(trace_, columns, stop);
  }

 private:
  TracePointer trace_;
};

}  // namespace

TablePointer slice_table(const TracePointer& trace) { return std::make_unique<SliceTable>(trace); }

}  // namespace polytrace::sql
