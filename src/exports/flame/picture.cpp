// SPDX-License-Identifier: Apache-2.0
// A flame graph as SVG, the outermost frames on top: nothing moves, names and figures are in
// titles.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "analysis/table/tree_order.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/utf8.hpp"
#include "exports/job/job.hpp"
#include "exports/job/text.hpp"

namespace polytrace::exports {
namespace {

using analysis::Profile;

constexpr double kWidth = 1200, kRow = 18, kHead = 28, kLetter = 6.6;
constexpr std::size_t kLongestTitle = 300;  // characters

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count)
    text.remove_prefix(std::max(1U, base::first_character(text).bytes));
  return count;
}

// At most so many characters.
std::string shortened(const std::string& text, std::size_t most) {
  std::size_t at = 0, count = 0;
  for (; at < text.size() && count < most; ++count)
    at += std::max(1U, base::first_character(std::string_view(text).substr(at)).bytes);
  if (at >= text.size()) return text;
  return most < 3 ? "" : shortened(text, most - 2) + "..";
}

// As many characters of a method's name, without its arguments if need be; its end stays.
std::string label(const std::string& name, std::size_t most) {
  if (characters(name) <= most) return name;
  const std::string bare = name.substr(0, name.find(" (", 1));
  std::size_t count = characters(bare);
  if (count <= most) return bare;
  std::size_t at = 0;
  for (; count + 2 > most; --count)
    at += std::max(1U, base::first_character(std::string_view(bare).substr(at)).bytes);
  return ".." + bare.substr(at);
}

std::string amount_text(std::uint64_t amount, analysis::Unit unit) {
  if (unit == analysis::Unit::nanoseconds) return base::duration_text(amount);
  if (unit == analysis::Unit::bytes) return base::bytes_text(amount);
  return fmt::to_string(amount);
}

// Warm and from the name alone, so that a method looks alike in every picture.
std::string color_of(std::string_view name) {
  std::uint32_t hash = 2166136261;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return fmt::format("hsl({},{}%,{}%)", 18 + hash % 38, 70 + hash / 64 % 20, 62 + hash / 4096 % 12);
}

class Picture {
 public:
  explicit Picture(const ProfileJob& job)
      : job_(job), profile_(job.pruned.profile), totals_(profile_.totals()), out_(job.sink) {
    all_ = profile_.value(profile_.total());
  }

  base::result<void> write() {
    lay_out();
    const double height = kHead + kRow * static_cast<double>(deepest_ + 1);
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n",
        kWidth, height, kWidth);
    put("<desc>{}</desc>\n", escaped(fmt::format("{}", fmt::join(job_.account.sentences(), " "))));
    put("<rect width=\"100%\" height=\"100%\" fill=\"#fffdf8\"/>\n<text x=\"4\" y=\"18\">{}: {} "
        "{}</text>\n",
        escaped(shortened(line_text(job_.origin.trace), 80)), profile_.weight->title,
        amount_text(all_, profile_.weight->unit));
    for (const Box& box : boxes_) {
      write_box(box);
      if (auto drained = out_.drain(); !drained) return drained;
    }
    out_.text() += "</svg>\n";
    return out_.flush();
  }

 private:
  struct Box {
    std::uint32_t node;
    std::uint32_t depth;
    double x;
    double width;
  };

  void lay_out() {
    analysis::Children children{std::span(profile_.nodes)};
    std::vector<double> ends{0};  // by depth: where the next box begins
    const auto enter = [&](std::uint32_t node) {
      const double width = all_ == 0 ? 0
                                     : kWidth * static_cast<double>(profile_.value(totals_[node])) /
                                           static_cast<double>(all_);
      const auto depth = static_cast<std::uint32_t>(ends.size() - 1);
      boxes_.push_back({node, depth, ends.back(), width});
      deepest_ = std::max(deepest_, depth);
      const double x = ends.back();
      ends.back() += width;
      ends.push_back(x);
      return true;
    };
    walk_tree(children, enter, [&](std::uint32_t) { ends.pop_back(); });
  }
  void write_box(const Box& box) {
    if (box.width < 0.3) return;
    const std::string name = line_text(profile_.frames[profile_.nodes[box.node].frame].name);
    const std::uint64_t total = profile_.value(totals_[box.node]);
    const double y = kHead + kRow * box.depth;
    put("<g><title>{} - {} ({:.2f} %)</title><rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" "
        "height=\"{}\" fill=\"{}\"/>",
        escaped(shortened(name, kLongestTitle)), amount_text(total, profile_.weight->unit),
        100.0 * static_cast<double>(total) / static_cast<double>(all_), box.x, y,
        std::max(box.width - 0.5, 0.2), kRow - 1, color_of(name));
    const auto letters = static_cast<std::size_t>(std::max(0.0, box.width - 6) / kLetter);
    if (letters > 2)
      put("<text x=\"{:.2f}\" y=\"{}\">{}</text>", box.x + 3, y + 13,
          escaped(label(name, letters)));
    out_.text() += "</g>\n";
  }
  template <class... Parts>
  void put(fmt::format_string<Parts...> form, Parts&&... parts) {
    fmt::format_to(std::back_inserter(out_.text()), form, std::forward<Parts>(parts)...);
  }

  const ProfileJob& job_;
  const Profile& profile_;
  std::vector<analysis::Amount> totals_;
  TextSink out_;
  std::uint64_t all_ = 0;
  std::vector<Box> boxes_;
  std::uint32_t deepest_ = 0;
};

}  // namespace

base::result<void> write_flame_picture(const ProfileJob& job) { return Picture(job).write(); }

}  // namespace polytrace::exports
