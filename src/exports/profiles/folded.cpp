// SPDX-License-Identifier: Apache-2.0
// Collapsed stacks: a line per stack, frames from the outermost on joined by ";", a blank, the
// weight. Sorted, so that two files can be compared. What is left out stands in lines that begin
// with "#".
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/table/tree_order.hpp"
#include "exports/job/job.hpp"
#include "exports/job/text.hpp"

namespace polytrace::exports {
namespace {

using analysis::Profile;

// Frame names as they stand in lines. A line is a comment if its first frame begins with "#".
std::vector<std::string> frame_names(const Profile& profile) {
  std::vector<std::string> names;
  for (const Profile::Frame& frame : profile.frames) {
    names.push_back(line_text(frame.name, ";"));
    if (names.back().starts_with('#')) names.back().front() = ' ';
  }
  return names;
}

// Nodes by the text of their stacks: siblings by name, depth first. A stack is a prefix of those
// that go on from it and so comes first.
class Lines {
 public:
  explicit Lines(const Profile& profile) : profile_(profile), names_(frame_names(profile)) {}

  base::result<void> write(TextSink& out) {
    analysis::Children children{std::span(profile_.nodes)};
    sort(children.of(Profile::kRoot));
    std::string stack;
    base::result<void> written;
    const auto enter = [&](std::uint32_t node) {
      if (!stack.empty()) stack += ';';
      stack += name(node);
      if (const std::uint64_t self = profile_.self(node); self != 0)
        fmt::format_to(std::back_inserter(out.text()), "{} {}\n", stack, self);
      if (written) written = out.drain();
      sort(children.of(node));
      return true;
    };
    const auto leave = [&](std::uint32_t node) {
      stack.resize(stack.size() - name(node).size());
      if (!stack.empty()) stack.pop_back();
    };
    walk_tree(children, enter, leave);
    return written ? out.flush() : written;
  }

 private:
  const std::string& name(std::uint32_t node) const { return names_[profile_.nodes[node].frame]; }
  void sort(std::span<std::uint32_t> siblings) const {
    std::ranges::stable_sort(siblings, {},
                             [&](std::uint32_t node) -> const std::string& { return name(node); });
  }

  const Profile& profile_;
  std::vector<std::string> names_;
};

}  // namespace

base::result<void> write_folded(const ProfileJob& job) {
  TextSink out(job.sink);
  for (const std::string& sentence : job.account.sentences())
    out.text() += "# " + line_text(sentence) + '\n';
  return Lines(job.pruned.profile).write(out);
}

}  // namespace polytrace::exports
