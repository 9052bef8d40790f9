// SPDX-License-Identifier: Apache-2.0
// Allocations and samples, added up by what people ask for.
#include <fmt/format.h>

#include <array>
#include <map>

#include "base/codes.hpp"
#include "sql/functions/functions.hpp"

namespace polytrace::sql {
namespace {

using Measures = std::array<std::uint64_t, 2>;
enum class By : std::uint8_t { class_, method, path, thread, inclusive };

struct SumRow {
  std::uint32_t key;
  By by;
  Measures measures;
  std::uint64_t all;  // of the second measure
};

struct ByWord {
  std::string_view word;
  By by;
};
constexpr ByWord kOfAllocations[]{
    {"class", By::class_}, {"method", By::method}, {"path", By::path}, {"thread", By::thread}};
constexpr ByWord kOfSamples[]{{"method", By::method},
                              {"inclusive", By::inclusive},
                              {"path", By::path},
                              {"thread", By::thread}};

base::result<By> by_of(const Value& value, std::span<const ByWord> words) {
  std::string all;
  for (const ByWord& word : words) {
    if (value.type == Type::text && value.text == word.word) return word.by;
    all += fmt::format("{}'{}'", all.empty() ? "" : ", ", word.word);
  }
  return base::fail(base::Code::query_wrong, "added up by what? There is " + all);
}

std::uint32_t key_of(const Trace& trace, const store::SumKey& key, By by) {
  switch (by) {
    case By::class_:
      return key.class_index == store::kNoIndex ? key.class_index : trace.class_of(key.class_index);
    case By::thread: return key.thread;
    case By::path: return key.path == store::kEmptyPath ? store::kNoIndex : key.path;
    default: return trace.store().paths().method(key.path);
  }
}

// Calls add(key) for each key that an entry counts to: once each.
template <class Add>
void each_key(const Trace& trace, const store::SumKey& key, By by, Add add) {
  if (by != By::inclusive) return add(key_of(trace, key, by));
  const store::Paths& paths = trace.store().paths();
  std::vector<std::uint32_t> methods;
  for (std::uint32_t path = key.path; path != store::kEmptyPath; path = paths.parent(path))
    if (paths.method(path) != store::kNoMethod) methods.push_back(paths.method(path));
  if (methods.empty()) return add(store::kNoIndex);
  std::ranges::sort(methods);
  methods.erase(std::ranges::unique(methods).begin(), methods.end());
  for (const std::uint32_t method : methods) add(method);
}

std::vector<SumRow> added_up(const Trace& trace, const std::vector<store::SumEntry>& entries,
                             By by) {
  std::map<std::uint32_t, Measures> sums;
  std::uint64_t all = 0;
  for (const store::SumEntry& entry : entries) {
    all += entry.measures[1];
    each_key(trace, entry.key, by, [&](std::uint32_t key) {
      for (std::size_t i = 0; i < 2; ++i) sums[key][i] += entry.measures[i];
    });
  }
  std::vector<SumRow> rows;
  for (const auto& [key, measures] : sums) rows.push_back({key, by, measures, all});
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const SumRow& row) { return row.measures[1]; });
  return rows;
}

Value name_of(const Trace& trace, const SumRow& row) {
  if (row.by == By::class_) return Value::name(trace.class_name(row.key));
  if (row.key == store::kNoIndex) return {};
  if (row.by == By::thread) return Value::name(trace.thread_name(row.key));
  if (row.by == By::path) return Value::name(trace.path_name(row.key));
  return Value::name(trace.method_name(row.key));
}

// Allocations and samples have the same columns but for their names.
Value cell_of_sum(const Trace& trace, const SumRow& row, int column) {
  using At = AllocationsColumns;
  static_assert(int{SamplesColumns::share} == int{At::share} &&
                int{SamplesColumns::added_by} == int{At::added_by});
  switch (column) {
    case At::key: return index_value(row.key);
    case At::name: return name_of(trace, row);
    case At::objects: return Value::of(row.measures[0]);
    case At::bytes: return Value::of(row.measures[1]);
    case At::share: return share_value(row.measures[1], row.all);
    default: return {};
  }
}

base::result<std::unique_ptr<Cursor>> answer_sums(const TracePointer& trace, const Scan& scan,
                                                  store::SumKind kind,
                                                  std::span<const ByWord> words) {
  using At = AllocationsColumns;
  const auto by = by_of(scan.parameter(At::added_by), words);
  if (!by) return tl::unexpected(by.error());
  const auto range = stretch_of(scan, At::t0, At::t1, At::threads);
  if (!range) return tl::unexpected(range.error());
  const auto entries = trace->store().sums(kind, *range);
  if (!entries) return tl::unexpected(entries.error());
  return made<SumRow>(added_up(*trace, *entries, *by), [trace](const SumRow& row, int column) {
    return cell_of_sum(*trace, row, column);
  });
}

}  // namespace

std::unique_ptr<Table> allocations_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(TableId::Allocations, 1000, [trace](const Scan& scan) {
    return answer_sums(trace, scan, store::SumKind::allocations, kOfAllocations);
  });
}

std::unique_ptr<Table> samples_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(TableId::Samples, 1000, [trace](const Scan& scan) {
    return answer_sums(trace, scan, store::SumKind::samples, kOfSamples);
  });
}

}  // namespace polytrace::sql
