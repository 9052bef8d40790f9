// SPDX-License-Identifier: Apache-2.0
// Rows of windows as the messages of other systems. Rows that say what frames and stacks are come
// before those that use them, once a month: they are kept. One thread at a time.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/aggregate/rows.hpp"
#include "collector/aggregate/windows.hpp"
#include "warehouse/ids.hpp"

namespace polytrace::collector {

class WindowProfiles {
 public:
  using Window = std::vector<warehouse::Profile10s>;  // of one time and gen
  using Key = std::pair<std::uint32_t, std::uint8_t>;

  // What follows is of that process.
  void begin(std::uint64_t series, const warehouse::Labels& labels);
  // Keeps what names things, and gives the rest by window.
  std::map<Key, Window> take(Rows&& rows);

  // ExportProfilesServiceRequest. Error: limit_exceeded.
  base::result<std::string> otlp(const Key& key, const Window& window);
  // PushRequest: a profile of each carrier. Errors: of packing.
  base::result<std::string> pyroscope(const Key& key, const Window& window);

 private:
  struct Text {
    std::string name, file;
    std::uint32_t line;
  };
  // Innermost first, the subject before all.
  std::vector<std::uint64_t> path_of(const warehouse::Profile10s& row) const;
  Text text_of(std::uint64_t frame) const;
  base::result<std::string> pprof(const Key& key, std::span<const warehouse::Profile10s> rows,
                                  Carrier carrier) const;

  std::uint64_t series_ = 0;
  warehouse::Labels labels_;
  std::unordered_map<std::uint64_t, Text> frames_;
  std::map<warehouse::Id128, std::vector<std::uint64_t>> stacks_;
};

}  // namespace polytrace::collector
