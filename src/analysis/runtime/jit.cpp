// SPDX-License-Identifier: Apache-2.0
// What was compiled: methods with the time that took, and with their code sizes in time order; and
// the runtime's own pieces of code by kind.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "analysis/analysis.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"
#include "base/seeded_hash.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"
#include "base/types.hpp"
#include "slice/code_range.hpp"
#include "slice/spans.hpp"

namespace polytrace::analysis {
namespace {

using event::Kind;

// How long methods were compiled, from the starts and ends of their compilations. Some recorders
// name a method there only by the runtime's id, which its definition explains later.
class CompileCosts {
 public:
  struct Cost {
    std::uint32_t method = NameTable::kNone;
    std::uint64_t times = 0;
    std::uint64_t failed = 0;
    std::uint64_t total = 0;  // nanoseconds
    std::uint64_t longest = 0;
  };

  // Of kind Jit.
  void add(const Slice& slice, const event::Event& event);
  // Of kind Method: what a runtime's id means.
  void learn(const Slice& slice, const event::Event& event);

  // By method. One that was never defined has none.
  std::vector<Cost> costs() const;
  std::uint64_t times() const { return times_; }
  // Nanoseconds; of nested ones the outermost counts.
  std::uint64_t total() const { return total_; }

 private:
  // A method's index, or, with kByRuntime, the runtime's id.
  using Subject = std::uint64_t;
  static constexpr Subject kByRuntime = Subject{1} << 63;
  struct Open {
    Subject subject;
    base::Time start;
  };

  void add(Cost& cost, std::uint64_t took, bool failed);

  std::vector<NestedSpans<Open>> open_;  // by thread
  base::IdMap<Cost> costs_;
  base::IdMap<std::uint32_t> methods_;  // by the runtime's id
  std::uint64_t times_ = 0;
  std::uint64_t total_ = 0;
};

void CompileCosts::add(const Slice& slice, const event::Event& event) {
  const auto edge = span_edge(slice.batch, event);
  if (!edge || edge->kind != SpanKind::compilation) return;
  const Subject subject =
      event.id == base::kNoId
          ? slice.batch.details_or<event::Jit>(event, {}).runtime_id | kByRuntime
          : slice.names.methods().index(event.id);
  NestedSpans<Open>& open = base::slot(open_, slice.threads[event.thread]);
  if (edge->begins()) {
    open.begin({subject, event.time});
  } else if (const auto begun = open.end(subject)) {
    const std::uint64_t took = base::elapsed(begun->start, event.time);
    add(costs_[subject], took, edge->fails());
    if (open.empty()) total_ += took;
  }
}

void CompileCosts::add(Cost& cost, std::uint64_t took, bool failed) {
  ++cost.times;
  cost.failed += failed ? 1 : 0;
  cost.total += took;
  cost.longest = std::max(cost.longest, took);
  ++times_;
}

void CompileCosts::learn(const Slice& slice, const event::Event& event) {
  const base::Id known = slice.batch.details_or<event::Method>(event, {}).runtime_id;
  if (known != 0 && known != base::kNoId) methods_[known] = slice.names.methods().index(event.id);
}

std::vector<CompileCosts::Cost> CompileCosts::costs() const {
  std::map<std::uint32_t, Cost> by_method;
  for (const auto& [subject, cost] : costs_) {
    auto method = static_cast<std::uint32_t>(subject);
    if ((subject & kByRuntime) != 0) {
      const auto known = methods_.find(subject & ~kByRuntime);
      method = known == methods_.end() ? NameTable::kNone : known->second;
    }
    Cost& sum = by_method[method];
    sum.method = method;
    sum.times += cost.times;
    sum.failed += cost.failed;
    sum.total += cost.total;
    sum.longest = std::max(sum.longest, cost.longest);
  }
  std::vector<Cost> all;
  for (const auto& [method, cost] : by_method) all.push_back(cost);
  return all;
}

class Jit : public Analysis {
 public:
  explicit Jit(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  struct Compiled {
    std::uint32_t method;
    base::Time time;
    base::Id code;
    std::optional<std::uint64_t> size;  // nothing: no code can be where it is told to be
  };
  struct Pieces {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };

  // A piece of code may be told twice, with its method and by itself.
  void add_method(const Slice& slice, const event::Event& event, base::Id code, std::uint64_t size,
                  base::Id method);
  Table costs_table(const Names& names, const TableOptions& options) const;
  Table methods_table(const Names& names, const TableOptions& options) const;
  Table helpers_table(const TableOptions& options) const;

  enum class State : unsigned char { unknown, named, compiled };

  Selection selection_;
  CompileCosts costs_;
  std::vector<Compiled> methods_;
  std::uint64_t bytes_ = 0;
  std::uint64_t impossible_ = 0;  // pieces of code that cannot lie where they are told to
  std::set<std::pair<std::uint32_t, base::Id>> known_;  // method and address
  std::vector<State> states_;                           // by method
  std::uint64_t with_code_ = 0;
  std::uint64_t without_code_ = 0;     // named only: compiled ahead of time, or shared
  std::array<Pieces, 256> helpers_{};  // by event::CodeKind
};

bool is_told(base::Id code) { return code != 0 && code != base::kNoId; }

void Jit::consume(const Slice& slice) {
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = slice.batch.events[i];
    if (event.kind == Kind::Jit && selects(selection_, slice.batch, event))
      costs_.add(slice, event);
    if (event.kind == Kind::Method) costs_.learn(slice, event);
    if (event.kind != Kind::Method && event.kind != Kind::Code) continue;
    if (event.detail == event::kAbsent || !selects(selection_, slice.batch, event)) continue;
    if (event.kind == Kind::Code) {
      const auto& code = slice.batch.details<event::Code>(event);
      Pieces& pieces = helpers_[static_cast<std::size_t>(code.type)];
      ++pieces.count;
      pieces.bytes += code.size;
      if (code.type == event::CodeKind::method && code.method != base::kNoId)
        add_method(slice, event, event.id, code.size, code.method);
      continue;
    }
    const auto& method = slice.batch.details<event::Method>(event);
    if (method.name.empty() && !is_told(method.code)) continue;
    add_method(slice, event, method.code, method.code_size, event.id);
  }
}

void Jit::add_method(const Slice& slice, const event::Event& event, base::Id code,
                     std::uint64_t size, base::Id method) {
  const std::uint32_t index = slice.names.methods().index(method);
  if (index >= states_.size()) states_.resize(index + std::size_t{1});
  State& state = states_[index];
  const bool has_code = is_told(code);
  without_code_ += !has_code && state == State::unknown ? 1 : 0;
  if (!has_code) return void(state = std::max(state, State::named));
  if (!known_.emplace(index, code).second) return;
  without_code_ -= state == State::named ? 1 : 0;
  with_code_ += state != State::compiled ? 1 : 0;
  state = State::compiled;
  const bool is_possible = can_be_code(code, size);
  if (is_possible) bytes_ += size;
  else ++impossible_;
  methods_.push_back({index, event.time, code, is_possible ? std::optional(size) : std::nullopt});
}

std::vector<Table> Jit::tables(const Names& names, const TableOptions& options) const {
  return {costs_table(names, options), methods_table(names, options), helpers_table(options)};
}

Table Jit::costs_table(const Names& names, const TableOptions& options) const {
  Table table = make_table("compilation", "jit", "Compilation by method",
                           {{"time", "Time", Unit::nanoseconds},
                            {"share", "Time %", Unit::percent},
                            {"times", "Times", Unit::count},
                            {"failed", "Failed", Unit::count},
                            {"longest", "Longest", Unit::nanoseconds},
                            {"method", "Method"}});
  for (const CompileCosts::Cost& cost : costs_.costs()) {
    std::string name =
        cost.method == NameTable::kNone ? "(not defined)" : names.method_name(cost.method);
    if (keeps(selection_, name))
      table.rows.push_back({cost.total, share(cost.total, costs_.total()), cost.times, cost.failed,
                            cost.longest, std::move(name)});
  }
  if (!table.rows.empty())
    table.notes.push_back("All together: " + base::duration_text(costs_.total()) +
                          " of the threads' time.");
  sort_and_limit(table, options, "time");
  return table;
}

Table Jit::methods_table(const Names& names, const TableOptions& options) const {
  Table table = make_table("compiled_methods", "jit", "Compiled methods",
                           {{"time", "Time", Unit::time},
                            {"code_size", "Code", Unit::bytes},
                            {"address", "Address", Unit::address},
                            {"method", "Method"}});
  std::uint64_t hidden = 0;
  for (const Compiled& compiled : methods_) {
    std::string name = names.method_name(compiled.method);
    if (!keeps(selection_, name)) continue;
    if (!selection_.show_helpers && names.is_helper(compiled.method)) {
      ++hidden;
      continue;
    }
    table.rows.push_back({compiled.time, compiled.size ? Cell(*compiled.size) : Cell(),
                          compiled.code, std::move(name)});
  }
  if (!methods_.empty()) {
    table.notes.push_back(fmt::format("{} compiled, {} of code.",
                                      base::count_text(with_code_, "method", "methods"),
                                      base::bytes_text(bytes_)));
  }
  if (impossible_ != 0)
    table.notes.push_back(
        fmt::format("The recorder told places where no code can be of {}: their sizes are unknown.",
                    base::count_text(impossible_, "method", "methods")));
  if (without_code_ != 0) {
    table.notes.push_back(base::count_text(without_code_, "method", "methods") +
                          " named without code: compiled ahead of time or shared.");
  }
  if (hidden != 0)
    table.notes.push_back(base::count_text(hidden, "runtime helper", "runtime helpers") +
                          " hidden.");
  std::ranges::stable_sort(table.rows, [](const auto& a, const auto& b) {
    return std::get<base::Time>(a[0]) < std::get<base::Time>(b[0]);
  });
  sort_and_limit(table, options, "");
  return table;
}

Table Jit::helpers_table(const TableOptions& options) const {
  Table table = make_table(
      "code_helpers", "jit", "Runtime code",
      {{"kind", "Kind"}, {"count", "Pieces", Unit::count}, {"bytes", "Code", Unit::bytes}});
  const auto kinds = event::names(event::CodeKind{});
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (helpers_[i].count == 0) continue;
    table.rows.push_back({std::string(kinds[i]), helpers_[i].count, helpers_[i].bytes});
  }
  sort_and_limit(table, options, "bytes");
  return table;
}

std::vector<std::string> Jit::headlines(const Names&) const {
  const std::uint64_t times = costs_.times();
  std::string cost = costs_.total() == 0 ? "" : " in " + base::duration_text(costs_.total());
  if (methods_.empty() && times == 0) return {};
  if (methods_.empty())
    return {fmt::format("{} compiled{}", base::count_text(times, "method", "methods"), cost)};
  std::string line =
      fmt::format("{} compiled{}, {} of code", base::count_text(with_code_, "method", "methods"),
                  cost, base::bytes_text(bytes_));
  if (impossible_ != 0)
    line += fmt::format("; the size of {} is unknown", base::count_text(impossible_));
  return {line};
}

}  // namespace

std::shared_ptr<Analysis> make_jit(const Shared& shared) {
  return std::make_shared<Jit>(shared.selection);
}

}  // namespace polytrace::analysis
