// SPDX-License-Identifier: Apache-2.0
#include "cli/show/text_table.hpp"

#include <algorithm>

#include "cli/show/escape.hpp"
#include "cli/show/shorten.hpp"
#include "cli/show/table_layout.hpp"

namespace polytrace::cli {
namespace {

constexpr std::size_t kIndent = 2;

class Lines {
 public:
  Lines(std::string& out, const TextTable& table, const Terminal& terminal, const Layout& layout)
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
  Lines lines(out, table, terminal, layout);
  lines.head();
  for (const auto& row : table.rows) lines.row(row);
  return layout.columns.size() != table.columns.size();
}

}  // namespace polytrace::cli
