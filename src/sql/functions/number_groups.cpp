// SPDX-License-Identifier: Apache-2.0
#include "sql/functions/number_groups.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/codes.hpp"
#include "sql/model/catalogue.hpp"

namespace polytrace::sql {
namespace {

using Wide = __int128;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr size_t kMostNumberGroups = 10'000'000;

Value value_of_wide(Wide sum) {
  if (sum >= INT64_MIN && sum <= INT64_MAX) return Value::of(static_cast<int64_t>(sum));
  return Value::of(static_cast<double>(sum));
}

// Numbers from 0 on for the values of a key, in the order in which they come.
class KeyNumbers {
 public:
  uint32_t number_of(int64_t key) {
    if (key < 0 || key >= kDense) return sparse(key);
    const auto place = static_cast<size_t>(key);
    if (place >= dense_.size()) dense_.resize(std::max(place + 1, dense_.size() * 2));
    uint32_t& number = dense_[place];
    if (number == 0) number = add(Value::of(key)) + 1;
    return number - 1;
  }
  uint32_t number_of_null() {
    if (null_ == 0) null_ = add({}) + 1;
    return null_ - 1;
  }
  const Value& key(uint32_t number) const { return keys_[number]; }

 private:
  static constexpr int64_t kDense = int64_t{1} << 20;
  uint32_t add(const Value& key) {
    keys_.push_back(key);
    return static_cast<uint32_t>(keys_.size() - 1);
  }
  uint32_t sparse(int64_t key) {
    const auto [place, fresh] = sparse_.try_emplace(key, 0);
    if (fresh) place->second = add(Value::of(key));
    return place->second;
  }

  std::vector<uint32_t> dense_{};  // one more than the number; 0: none yet
  std::unordered_map<int64_t, uint32_t> sparse_{};
  uint32_t null_ = 0;
  std::vector<Value> keys_{};
};

// One sum of all groups.
class Totals {
 public:
  explicit Totals(Summed::How how) : how_(how) {}

  void add(std::span<const uint32_t> groups, std::span<const int64_t> numbers,
           std::span<const std::uint8_t> nulls, size_t count) {
    sums_.resize(count);
    any_.resize(count);
    for (size_t i = 0; i < groups.size(); ++i) {
      if (!nulls.empty() && nulls[i] != 0) continue;
      Wide& sum = sums_[groups[i]];
      const int64_t number = numbers[i];
      if (how_ == Summed::How::sum) sum += number;
      else if (any_[groups[i]] == 0 || (how_ == Summed::How::least ? number < sum : number > sum))
        sum = number;
      any_[groups[i]] = 1;
    }
  }
  Value value(size_t group) const {
    return any_[group] == 0 ? Value() : value_of_wide(sums_[group]);
  }

 private:
  Summed::How how_;
  std::vector<Wide> sums_{};
  std::vector<std::uint8_t> any_{};
};

class Grouping {
 public:
  Grouping(size_t keys, const std::vector<Summed>& sums) : numbers_(keys) {
    for (const Summed& sum : sums) totals_.emplace_back(sum.how);
  }

  base::result<void> add(const NumberPages& pages, size_t rows) {
    groups_.resize(rows);
    for (size_t key = 0; key < numbers_.size(); ++key) take_key(pages, key);
    if (rows_.size() > kMostNumberGroups)
      return base::fail(base::Code::limit_exceeded, "more than ten million groups");
    for (const uint32_t group : groups_) ++rows_[group];
    for (size_t i = 0; i < totals_.size(); ++i)
      totals_[i].add(groups_, pages.numbers(numbers_.size() + i), pages.nulls(numbers_.size() + i),
                     rows_.size());
    return {};
  }
  NumberGroups groups() const {
    NumberGroups all(rows_.size());
    for (size_t group = 0; group < all.size(); ++group) {
      all[group].rows = rows_[group];
      for (size_t i = 0; i < totals_.size(); ++i) all[group].totals[i] = totals_[i].value(group);
      auto number = static_cast<uint32_t>(group);
      for (size_t key = numbers_.size(); key-- > 0;) {
        const auto [above, own] = key == 0 ? Pair{0, number} : pairs_[key - 1].of[number];
        all[group].keys[key] = numbers_[key].key(own);
        number = above;
      }
    }
    return all;
  }

 private:
  struct Pair {
    uint32_t above;  // group by the keys before
    uint32_t own;    // number of this key
  };
  // Groups by a key more.
  struct Pairs {
    std::unordered_map<uint64_t, uint32_t> numbers{};
    std::vector<Pair> of{};
  };

  uint32_t group_of(size_t key, uint32_t above, uint32_t own) {
    if (key == 0) return own;
    Pairs& pairs = pairs_[key - 1];
    const auto [place, fresh] = pairs.numbers.try_emplace(uint64_t{above} << 32 | own,
                                                          static_cast<uint32_t>(pairs.of.size()));
    if (fresh) pairs.of.push_back({above, own});
    return place->second;
  }
  void take_key(const NumberPages& pages, size_t key) {
    const auto values = pages.numbers(key);
    const auto nulls = pages.nulls(key);
    KeyNumbers& own = numbers_[key];
    uint32_t most = 0;
    for (size_t i = 0; i < groups_.size(); ++i) {
      const bool is_null = !nulls.empty() && nulls[i] != 0;
      const uint32_t number = is_null ? own.number_of_null() : own.number_of(values[i]);
      groups_[i] = group_of(key, groups_[i], number);
      most = std::max(most, groups_[i]);
    }
    if (key + 1 == numbers_.size() && most >= rows_.size()) rows_.resize(most + size_t{1});
  }

  std::vector<KeyNumbers> numbers_;
  std::array<Pairs, kMostKeys - 1> pairs_{};
  std::vector<uint32_t> groups_{};  // of the page, by row
  std::vector<uint64_t> rows_{};
  std::vector<Totals> totals_{};
};

// --- what sums of the index have -----------------------------------------------------------------

bool is_of_paths(const Table& table, const std::vector<int>& keys,
                 const std::vector<Summed>& sums) {
  const auto is_path = [](int key) {
    return key == SliceColumns::path_id || key == SliceColumns::stack_id ||
           key == SliceColumns::method_id;
  };
  const auto is_time = [](const Summed& sum) {
    return sum.how == Summed::How::sum &&
           (sum.column == SliceColumns::dur || sum.column == SliceColumns::self_dur);
  };
  return &table.info() == &describe(TableId::Slice) && std::ranges::all_of(keys, is_path) &&
         std::ranges::all_of(sums, is_time);
}

struct PathTimes {
  uint64_t calls = 0;
  Wide total = 0, self = 0;
};

// Times of calls by path, or by method where no key is a path. Nothing: paths were merged, whose
// sums are no sums of calls.
base::result<std::optional<NumberGroups>> groups_of_paths(const Trace& trace,
                                                          const std::vector<int>& keys,
                                                          const std::vector<Summed>& sums,
                                                          const std::atomic<bool>* stop) {
  const store::Paths& paths = trace.store().paths();
  const auto figures = trace.store().calls({.stop = stop});
  if (!figures) return tl::unexpected(figures.error());
  const bool by_method =
      std::ranges::all_of(keys, [](int key) { return key == SliceColumns::method_id; });
  std::map<uint32_t, PathTimes> times;
  for (const store::TreeNode& node : figures->tree(paths)) {
    if (node.own.path == store::kEmptyPath) continue;
    if (paths.is_merged(node.own.path)) return std::optional<NumberGroups>();
    PathTimes& own = times[by_method ? paths.method(node.own.path) : node.own.path];
    own.calls += node.own.calls;
    own.total += node.own.calls == 0 ? 0 : node.total;
    own.self += node.own.calls == 0 ? 0 : node.own.self;
  }
  NumberGroups all;
  for (const auto& [number, own] : times) {
    if (own.calls == 0) continue;
    NumberGroup& group = all.emplace_back();
    group.rows = own.calls;
    for (size_t i = 0; i < keys.size(); ++i)
      group.keys[i] = keys[i] == SliceColumns::method_id && !by_method
                          ? index_value(paths.method(number))
                          : Value::of(number);
    for (size_t i = 0; i < sums.size(); ++i)
      group.totals[i] = value_of_wide(sums[i].column == SliceColumns::dur ? own.total : own.self);
  }
  return std::optional(std::move(all));
}

}  // namespace

base::result<std::optional<NumberGroups>> number_groups(const Trace& trace, const Table& table,
                                                        const std::vector<int>& keys,
                                                        const std::vector<Summed>& sums,
                                                        const std::atomic<bool>* stop) {
  if (is_of_paths(table, keys, sums)) {
    auto groups = groups_of_paths(trace, keys, sums, stop);
    if (!groups || *groups) return groups;
  }
  std::vector<int> columns = keys;
  for (const Summed& sum : sums) columns.push_back(sum.column);
  const auto pages = table.pages(columns, stop);
  if (pages == nullptr) return std::optional<NumberGroups>();
  Grouping grouping(keys.size(), sums);
  for (;;) {
    if (stop != nullptr && *stop) return base::fail(base::Code::query_timeout, "stopped");
    const auto rows = pages->next();
    if (!rows) return tl::unexpected(rows.error());
    if (*rows == 0) return std::optional(grouping.groups());
    if (auto added = grouping.add(*pages, *rows); !added) return tl::unexpected(added.error());
  }
}

}  // namespace polytrace::sql
