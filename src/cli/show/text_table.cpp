// SPDX-License-Identifier: Apache-2.0
#include "cli/show/text_table.hpp"

#include <algorithm>

#include "cli/show/escape.hpp"

namespace polytrace::cli::show {
namespace {

constexpr std::size_t kIndent = 2, kColumnGap = 2, kNarrowest = 12;

std::vector<std::size_t> natural_widths(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (const TextColumn& column : table.columns) widths.push_back(cells(column.title));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], cells(row[i]));
  }
  return widths;
}

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = kIndent;
  for (const std::size_t width : widths) sum += width + kColumnGap;
  return sum - kColumnGap;
}

// Takes from the widest flexible column until the table fits or none can give.
void fit(std::vector<std::size_t>& widths, const TextTable& table, std::size_t room) {
  std::size_t wide = total(widths);
  while (wide > room) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (table.columns[i].flexible && (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    }
    if (widest == widths.size() || widths[widest] <= kNarrowest) return;
    const std::size_t give = std::min(wide - room, widths[widest] - kNarrowest);
    widths[widest] -= give;
    wide -= give;
  }
}

class Lines {
 public:
  Lines(std::string& out, const TextTable& table, const Terminal& terminal)
      : out_(out), table_(table), terminal_(terminal), widths_(natural_widths(table)) {
    if (terminal.width != 0) fit(widths_, table, terminal.width);
  }

  void head() {
    std::vector<std::string> titles, rules;
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      titles.push_back(table_.columns[i].title);
      std::string rule;
      for (std::size_t n = 0; n < rule_width(i); ++n)
        rule += terminal_.unicode ? "\xe2\x94\x80" : "-";
      rules.push_back(rule);
    }
    line(titles, Style::heading);
    line(rules, Style::faint);
  }
  void line(const std::vector<std::string>& row, Style style) {
    std::string text(kIndent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell =
          clipped(row[i], widths_[i], terminal_.unicode ? "\xe2\x80\xa6" : "~");
      const std::string padding(widths_[i] - std::min(widths_[i], cells(cell)), ' ');
      text += table_.columns[i].right ? padding + cell : cell + padding;
      if (i + 1 < row.size()) text.append(kColumnGap, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out_ += paint(terminal_, style, text) + '\n';
  }

 private:
  // One long name in the last column shall not draw the rule across the page.
  std::size_t rule_width(std::size_t column) const {
    constexpr std::size_t kEnough = 40;
    const bool open = column + 1 == widths_.size() && !table_.columns[column].right;
    return open ? std::min(widths_[column], kEnough) : widths_[column];
  }

  std::string& out_;
  const TextTable& table_;
  const Terminal& terminal_;
  std::vector<std::size_t> widths_;
};

}  // namespace

void append_text_table(std::string& out, const TextTable& table, const Terminal& terminal) {
  Lines lines(out, table, terminal);
  lines.head();
  for (const auto& row : table.rows) lines.line(row, Style::plain);
}

}  // namespace polytrace::cli::show
