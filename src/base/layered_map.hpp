// SPDX-License-Identifier: Apache-2.0
// A map from numbers to values that is cheap to copy: copies share sorted, immutable layers, whose
// sizes grow geometrically. Adding n entries one layer at a time costs O(n log n) in all, whatever
// copies were taken between. Value type; const use is thread-safe.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace polytrace::base {

template <class Key, class Value>
class LayeredMap {
 public:
  using Entry = std::pair<Key, Value>;
  using Layer = std::vector<Entry>;

  // Entries in any order; of equal keys the last one counts, and over all older ones.
  void add(Layer entries) {
    if (entries.empty()) return;
    std::map<Key, Value> latest;
    for (const auto& [key, value] : entries) latest.insert_or_assign(key, value);
    entries.assign(latest.begin(), latest.end());
    while (!layers_.empty() && layers_.back()->size() <= 2 * entries.size()) {
      entries = merged(*layers_.back(), entries);
      layers_.pop_back();
    }
    layers_.push_back(std::make_shared<const Layer>(std::move(entries)));
  }
  bool empty() const { return layers_.empty(); }
  std::optional<Value> find(const Key& key) const {
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      const auto found = std::ranges::lower_bound(**layer, key, {}, &Entry::first);
      if (found != (*layer)->end() && found->first == key) return found->second;
    }
    return std::nullopt;
  }
  // The entry with the greatest key that is not above `key`.
  std::optional<Entry> at_or_before(const Key& key) const {
    std::optional<Entry> best;
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      const auto above = std::ranges::upper_bound(**layer, key, {}, &Entry::first);
      if (above == (*layer)->begin()) continue;
      const Entry& found = *std::prev(above);
      if (!best || best->first < found.first) best = found;
    }
    return best;
  }
  // The entry with the least key that is above `key`.
  std::optional<Entry> after(const Key& key) const {
    std::optional<Entry> best;
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      const auto above = std::ranges::upper_bound(**layer, key, {}, &Entry::first);
      if (above != (*layer)->end() && (!best || above->first < best->first)) best = *above;
    }
    return best;
  }

 private:
  static void keep_last(Layer& sorted) {
    auto to = sorted.begin();
    for (const Entry& entry : sorted) {
      if (to != sorted.begin() && std::prev(to)->first == entry.first) --to;
      *to++ = entry;
    }
    sorted.erase(to, sorted.end());
  }
  static Layer merged(const Layer& older, const Layer& newer) {
    Layer both;
    both.reserve(older.size() + newer.size());
    std::ranges::merge(older, newer, std::back_inserter(both), {}, &Entry::first, &Entry::first);
    keep_last(both);  // merge is stable: the newer one stands behind
    return both;
  }

  std::vector<std::shared_ptr<const Layer>> layers_;
};

}  // namespace polytrace::base
