// SPDX-License-Identifier: Apache-2.0
// Texts of a trace by index, each kept once, as UTF-8: other bytes become U+FFFD. One thread at a
// time.
#pragma once

#include <tsl/robin_map.h>

#include <deque>
#include <string>
#include <string_view>

#include "base/seeded_hash.hpp"
#include "base/text/utf8.hpp"

namespace polytrace::analysis::states {

class TextPool {
 public:
  std::uint32_t index(std::string_view text) {
    if (const auto known = indexes_.find(text); known != indexes_.end()) return known->second;
    const auto index = static_cast<std::uint32_t>(texts_.size());
    raw_.emplace_back(text);
    texts_.push_back(base::repaired(text));
    indexes_.emplace(raw_.back(), index);
    return index;
  }
  const std::string& text(std::uint32_t index) const { return texts_[index]; }

 private:
  std::deque<std::string> raw_;
  std::deque<std::string> texts_;
  tsl::robin_map<std::string_view, std::uint32_t, base::SeededHash> indexes_;
};

}  // namespace polytrace::analysis::states
