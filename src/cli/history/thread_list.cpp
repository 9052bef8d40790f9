// SPDX-License-Identifier: Apache-2.0
#include "cli/history/thread_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/show/escape.hpp"
#include "cli/show/tables.hpp"

namespace polytrace::cli {
namespace {

using history::Tree;

struct LivingThread {
  std::string title;  // its name and id
  std::string status;
  std::string doing;
};

class ThreadLister {
 public:
  explicit ThreadLister(const StateTree& states)
      : states_(states), tree_(states.tree()), all_(tree_.find(Tree::kTop, "Threads")) {}

  // By name; those without one behind, by id.
  std::vector<LivingThread> run() const {
    std::vector<std::pair<std::string, LivingThread>> found;
    if (all_ == Tree::kNone) return {};
    for (Tree::Node at = tree_.first_child(all_); at != Tree::kNone; at = tree_.next_sibling(at)) {
      const std::string status = text(at, "Status");
      if (status.empty() || status == "ended") continue;
      const std::string name = text(at, "Name");
      std::string doing = wait(at);
      if (doing.empty()) doing = text(at, "Method");
      found.push_back(
          {(name.empty() ? "1" : "0") + name, {title(tree_.name(at)), status, std::move(doing)}});
    }
    std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
    std::vector<LivingThread> threads;
    for (auto& one : found) threads.push_back(std::move(one.second));
    return threads;
  }

 private:
  // Of an attribute; empty for null.
  std::string text(Tree::Node parent, std::string_view attribute) const {
    if (parent == Tree::kNone) return {};
    const history::Value value = states_.value(tree_.find(parent, attribute));
    return value.type() == history::Type::string ? printable(value.text()) : std::string();
  }
  std::string title(std::string_view id) const {
    const std::string name = text(tree_.find(all_, id), "Name");
    return name.empty() ? std::string(id) : fmt::format("{} ({})", name, id);
  }
  // "waits for 0x70 (App.Lock), which main (0x1) owns"; empty when it does not wait.
  std::string wait(Tree::Node thread) const {
    const std::string object = text(thread, "Waits for");
    if (object.empty()) return {};
    const Tree::Node monitors = tree_.find(Tree::kTop, "Monitors");
    const Tree::Node monitor = monitors == Tree::kNone ? Tree::kNone : tree_.find(monitors, object);
    std::string words = "waits for " + object;
    if (const std::string type = text(monitor, "Class"); !type.empty()) words += " (" + type + ")";
    if (const std::string owner = text(monitor, "Owner"); !owner.empty())
      words += fmt::format(", which {} owns", title(owner));
    return words;
  }

  const StateTree& states_;
  const Tree& tree_;
  Tree::Node all_;
};

}  // namespace

void append_threads(std::string& out, const StateTree& states, const Look& look) {
  const std::vector<LivingThread> threads = ThreadLister(states).run();
  if (threads.empty()) return;
  analysis::Table table;
  table.title = "Living threads";
  table.columns = {{"thread", "Thread"}, {"status", "Status"}, {"doing", "Doing"}};
  for (const LivingThread& thread : threads)
    table.rows.push_back({thread.title, thread.status, thread.doing});
  append_text(out, table, look);
}

}  // namespace polytrace::cli
