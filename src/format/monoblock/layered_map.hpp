// SPDX-License-Identifier: Apache-2.0
// A map from ids to values that is cheap to copy: copies share sorted, immutable layers, whose
// sizes grow geometrically. Adding n entries one layer at a time costs O(n log n) in all, whatever
// copies were taken between. Value type; const use is thread-safe.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace polytrace::format::monoblock {

class LayeredMap {
 public:
  using Entry = std::pair<base::Id, std::uint64_t>;
  using Layer = std::vector<Entry>;

  // Entries in any order; of equal ids the last one counts, and over all older ones.
  void add(Layer entries) {
    if (entries.empty()) return;
    std::map<base::Id, std::uint64_t> latest;
    for (const auto& [id, value] : entries) latest[id] = value;
    entries.assign(latest.begin(), latest.end());
    while (!layers_.empty() && layers_.back()->size() <= 2 * entries.size()) {
      entries = merged(*layers_.back(), entries);
      layers_.pop_back();
    }
    layers_.push_back(std::make_shared<const Layer>(std::move(entries)));
  }
  std::optional<std::uint64_t> find(base::Id id) const {
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      const auto found = std::ranges::lower_bound(**layer, id, {}, &Entry::first);
      if (found != (*layer)->end() && found->first == id) return found->second;
    }
    return std::nullopt;
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

}  // namespace polytrace::format::monoblock
