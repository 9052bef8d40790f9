// SPDX-License-Identifier: Apache-2.0
#include "cli/show/text_table.hpp"

#include <algorithm>

#include "cli/show/text_room.hpp"

namespace polytrace::cli {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kColumnGap = 2;

// Which columns are shown in the room there is, and how wide each is.
struct Layout {
  std::vector<std::size_t> columns;  // of the table, those that are shown
  std::vector<std::size_t> widths;   // theirs, in terminal cells
};

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

// `room` in terminal cells; 0: as much as it takes.
Layout lay_out(const TextTable& table, std::size_t room) { return Fitting(table, room).fit(); }

class TableLines {
 public:
  TableLines(std::string& out, const TextTable& table, const Terminal& terminal,
             const Layout& layout)
      : out_(out),
        table_(table),
        terminal_(terminal),
        layout_(layout),
        mark_(terminal.unicode ? "\xe2\x80\xa6" : "~") {}

  void head() {
    std::vector<std::string> titles, rules;
    for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
      titles.push_back(clipped(column(i).title, layout_.widths[i], mark_));
      std::string rule;
      for (std::size_t n = 0; n < rule_width(i); ++n)
        rule += terminal_.unicode ? "\xe2\x94\x80" : "-";
      rules.push_back(std::move(rule));
    }
    line(titles, Style::heading);
    line(rules, Style::faint);
  }
  // As many lines as its longest sentence takes.
  void row(const std::vector<std::string>& cells_of_row) {
    std::vector<std::vector<std::string>> parts;
    std::size_t height = 1;
    for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
      parts.push_back(parts_of(cells_of_row[layout_.columns[i]], i));
      height = std::max(height, parts.back().size());
    }
    for (std::size_t n = 0; n < height; ++n) {
      std::vector<std::string> now;
      for (const auto& part : parts) now.push_back(n < part.size() ? part[n] : "");
      line(now, Style::plain);
    }
  }

 private:
  const TextColumn& column(std::size_t i) const { return table_.columns[layout_.columns[i]]; }

  std::vector<std::string> parts_of(const std::string& cell, std::size_t i) const {
    switch (column(i).fit) {
      case Fit::sentence: return wrapped(cell, layout_.widths[i]);
      case Fit::name: return {shortened(cell, layout_.widths[i], mark_)};
      default: return {clipped(cell, layout_.widths[i], mark_)};
    }
  }

  void line(const std::vector<std::string>& parts, Style style) {
    std::string text(kIndent, ' ');
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string padding(layout_.widths[i] - std::min(layout_.widths[i], cells(parts[i])),
                                ' ');
      text += column(i).right ? padding + parts[i] : parts[i] + padding;
      if (i + 1 < parts.size()) text.append(kColumnGap, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out_ += paint(terminal_, style, text) + '\n';
  }

  // One long name in the last column shall not draw the rule across the page.
  std::size_t rule_width(std::size_t i) const {
    constexpr std::size_t kEnough = 40;
    const bool open = i + 1 == layout_.columns.size() && !column(i).right;
    return open ? std::min(layout_.widths[i], kEnough) : layout_.widths[i];
  }

  std::string& out_;
  const TextTable& table_;
  const Terminal& terminal_;
  const Layout& layout_;
  std::string_view mark_;
};

}  // namespace

bool append_text_table(std::string& out, const TextTable& table, const Terminal& terminal) {
  const std::size_t room = terminal.width == 0 ? 0 : terminal.width - kIndent;
  const Layout layout = lay_out(table, room);
  TableLines lines(out, table, terminal, layout);
  lines.head();
  for (const auto& row : table.rows) lines.row(row);
  return layout.columns.size() != table.columns.size();
}

}  // namespace polytrace::cli
