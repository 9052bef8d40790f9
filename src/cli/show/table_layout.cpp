// SPDX-License-Identifier: Apache-2.0
#include "cli/show/table_layout.hpp"

#include <algorithm>

#include "cli/show/escape.hpp"

namespace polytrace::cli {
namespace {

constexpr std::size_t kNarrowest = 8;

bool gives(const TextColumn& column) { return column.fit != Fit::number; }

class Fitting {
 public:
  Fitting(const TextTable& table, std::size_t room) : table_(table), room_(room) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      natural_.push_back(cells(table.columns[i].title));
      layout_.columns.push_back(i);
    }
    for (const auto& row : table.rows)
      for (std::size_t i = 0; i < natural_.size(); ++i)
        natural_[i] = std::max(natural_[i], cells(row[i]));
    widen();
  }

  Layout fit() {
    while (room_ != 0 && total() > room_) {
      narrow(std::max(kNarrowest, room_ / 2 / std::max<std::size_t>(givers(), 1)));
      if (total() <= room_) break;
      if (!leave_one()) {
        narrow(kNarrowest);
        break;
      }
      widen();
    }
    return std::move(layout_);
  }

 private:
  const TextColumn& column(std::size_t i) const { return table_.columns[layout_.columns[i]]; }

  void widen() {
    layout_.widths.clear();
    for (const std::size_t i : layout_.columns) layout_.widths.push_back(natural_[i]);
  }
  std::size_t total() const {
    std::size_t sum = 0;
    for (const std::size_t width : layout_.widths) sum += width + kColumnGap;
    return sum - std::min(sum, kColumnGap);
  }
  std::size_t givers() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < layout_.columns.size(); ++i) count += gives(column(i)) ? 1U : 0U;
    return count;
  }
  // Takes from the widest columns of texts, which become as wide as the next, until the table fits
  // or all are down to `least`.
  void narrow(std::size_t least) {
    for (std::size_t wide = total(); wide > room_; wide = total()) {
      std::size_t widest = layout_.columns.size();
      std::size_t next = least;
      for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
        if (!gives(column(i))) continue;
        if (widest == layout_.columns.size()) {
          widest = i;
        } else if (layout_.widths[i] > layout_.widths[widest]) {
          next = std::max(next, layout_.widths[widest]);
          widest = i;
        } else {
          next = std::max(next, layout_.widths[i]);
        }
      }
      if (widest == layout_.columns.size() || layout_.widths[widest] <= least) return;
      const std::size_t spare = layout_.widths[widest] - next;
      layout_.widths[widest] -= std::min(wide - room_, std::max<std::size_t>(spare, 1));
    }
  }
  bool leave_one() {
    std::size_t leaving = layout_.columns.size();
    for (std::size_t i = 0; i < layout_.columns.size(); ++i)
      if (column(i).rank != 0 &&
          (leaving == layout_.columns.size() || column(i).rank >= column(leaving).rank))
        leaving = i;
    if (leaving == layout_.columns.size()) return false;
    layout_.columns.erase(layout_.columns.begin() + static_cast<std::ptrdiff_t>(leaving));
    return true;
  }

  const TextTable& table_;
  std::size_t room_;
  std::vector<std::size_t> natural_;  // by column of the table
  Layout layout_;
};

}  // namespace

Layout lay_out(const TextTable& table, std::size_t room) { return Fitting(table, room).fit(); }

}  // namespace polytrace::cli
