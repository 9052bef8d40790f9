// SPDX-License-Identifier: Apache-2.0
// What each thread was in, from the history of the trace's states; kept from the first question on.
#include <charconv>
#include <map>
#include <mutex>

#include "sql/tables/tables.hpp"
#include "sql/trace/states.hpp"

namespace polytrace::sql {
namespace {

struct StatusRow {
  history::Interval state;
  std::uint32_t thread;
  std::string_view blocked_on;  // of the history
};

struct StatusLetter {
  std::string_view status;
  std::string_view letter;
};
constexpr StatusLetter kLetters[]{
    {"running", "Running"}, {"blocked", "S"}, {"waiting", "S"}, {"paused", "R"}, {"ended", "X"}};

// "0x7f12#2" is the second thread of that id, in order of the source, as its index is.
std::uint32_t thread_named(const Trace& trace, std::string_view name) {
  const std::size_t sign = name.find('#');
  const std::string_view number = name.substr(0, sign);
  base::Id id = 0;
  std::uint32_t place = 1;
  if (!number.starts_with("0x")) return store::kNoIndex;
  std::from_chars(number.data() + 2, number.data() + number.size(), id, 16);
  if (sign != name.npos) std::from_chars(name.data() + sign + 1, name.data() + name.size(), place);
  std::uint32_t found = store::kNoIndex;
  const auto& threads = trace.threads();
  for (std::uint32_t i = 0; i < threads.size() && place != 0; ++i)
    if (threads[i].id == id) found = i, --place;
  return found;
}

class ThreadStatuses {
 public:
  explicit ThreadStatuses(TracePointer trace) : trace_(std::move(trace)) {}

  base::result<void> prepare(const Scan& scan) const {
    const std::lock_guard lock(mutex_);
    if (history_ != nullptr) return {};
    auto history = states_of(*trace_, scan.stop);
    if (!history) return tl::unexpected(history.error());
    rows_.clear();
    const history::Tree& tree = (*history)->tree();
    const auto threads = tree.find(history::Tree::kTop, "Threads");
    if (threads != history::Tree::kNone)
      for (auto at = tree.first_child(threads); at != history::Tree::kNone;
           at = tree.next_sibling(at))
        if (auto read = read_thread(**history, at); !read) return read;
    std::ranges::stable_sort(rows_, {}, [](const StatusRow& row) { return row.state.start; });
    history_ = std::move(*history);
    return {};
  }
  std::uint64_t rows() const { return rows_.size(); }
  Value cell(std::uint64_t number, int column) const;

 private:
  base::result<void> read_thread(const history::History& history, history::Tree::Node thread) const;

  TracePointer trace_;
  mutable std::mutex mutex_;
  mutable HistoryPointer history_;
  mutable std::vector<StatusRow> rows_;
};

base::result<void> ThreadStatuses::read_thread(const history::History& history,
                                               history::Tree::Node thread) const {
  const history::Tree& tree = history.tree();
  const auto key_of = [&](std::string_view name) {
    const auto node = tree.find(thread, name);
    return node == history::Tree::kNone ? history::kNoKey : tree.key(node);
  };
  const history::Facts& facts = history.facts();
  std::map<history::Tick, std::string_view> objects;  // by when it began to wait for them
  if (const auto key = key_of("Waits for"); history.knows(key))
    if (auto read = history.range(
            key, facts.start, facts.end,
            [&](const history::Interval& state) { objects[state.start] = state.value.text(); });
        !read)
      return read;
  const auto key = key_of("Status");
  if (!history.knows(key)) return {};
  const std::uint32_t utid = thread_named(*trace_, tree.name(thread));
  return history.range(key, facts.start, facts.end, [&](const history::Interval& state) {
    if (state.value.is_null()) return;
    const auto behind = objects.upper_bound(state.start);
    rows_.push_back(
        {state, utid, behind == objects.begin() ? std::string_view() : std::prev(behind)->second});
  });
}

Value ThreadStatuses::cell(std::uint64_t number, int column) const {
  using At = ThreadStateColumns;
  const StatusRow& row = rows_[number];
  const std::string_view status = row.state.value.text();
  switch (column) {
    case At::id: return Value::of(number);
    case At::ts: return Value::of(std::int64_t{row.state.start});
    case At::dur: return Value::of(lasted(*history_, row.state));
    case At::utid: return index_value(row.thread);
    case At::status: return Value::name(status);
    case At::state: {
      const auto found = std::ranges::find(kLetters, status, &StatusLetter::status);
      return found == std::end(kLetters) ? Value() : Value::name(found->letter);
    }
    case At::blocked_on: return Value::told(row.blocked_on);
    case At::track_id:
      return row.thread == store::kNoIndex ? Value() : Value::of(2 * std::int64_t{row.thread} + 1);
    default: return {};
  }
}

}  // namespace

TablePointer thread_state_table(const TracePointer& trace) {
  const auto all = std::make_shared<const ThreadStatuses>(trace);
  constexpr double kFew = 1000;  // so long as nobody asked
  auto table = std::make_unique<ListedTable>(
      TableId::ThreadState, ThreadStateColumns::ts, [=] { return all->rows(); },
      [=](std::uint64_t row, int column) { return all->cell(row, column); });
  table->set_interval({.ts = ThreadStateColumns::ts,
                       .dur = ThreadStateColumns::dur,
                       .meets = ThreadStateColumns::meets});
  table->set_expected(kFew);
  table->set_prepare([=](const Scan& scan) { return all->prepare(scan); });
  return table;
}

}  // namespace polytrace::sql
