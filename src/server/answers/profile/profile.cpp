// SPDX-License-Identifier: Apache-2.0
#include "service/trace/profile.hpp"

#include <map>

#include "server/answers/ask.hpp"
#include "server/answers/profile/pruned_json.hpp"

namespace polytrace::server {
namespace {

using analysis::WeighedNode;
using analysis::WeighedTree;
using base::JsonWriter;
using service::ProfileTree;

constexpr std::uint64_t kMostNodes = 200'000;
constexpr std::uint64_t kUsualNodes = 20'000;
constexpr double kUsualShare = 0.0003;

enum class Shape : std::uint8_t { down, up, sandwich };

struct ProfileAsked {
  Part part{};
  const analysis::Weight* weight = nullptr;
  Shape shape = Shape::down;
  std::optional<std::uint32_t> method{};
  bool by_thread = false;
  std::uint64_t most = kUsualNodes;
  double least_share = kUsualShare;
  std::vector<std::uint32_t> root{};
};

ProfileAsked read_profile_asked(Ask& ask, Members members) {
  ProfileAsked question;
  question.part = read_selection(ask, members);
  const std::string weight = members.text("weight");
  question.weight = analysis::find_weight(weight);
  if (question.weight == nullptr && !weight.empty()) members.complain("weight", "is none");
  const std::string shape = members.text("shape", "down");
  if (shape == "up") question.shape = Shape::up;
  else if (shape == "sandwich") question.shape = Shape::sandwich;
  else if (shape != "down") members.complain("shape", "is none of down, up, sandwich");
  if (const auto method = members.integer("method"))
    question.method = static_cast<std::uint32_t>(*method);
  if (question.shape == Shape::sandwich && !question.method)
    members.complain("method", "is needed for a sandwich");
  question.by_thread = members.flag("by_thread");
  question.most = members.count("most", kUsualNodes, kMostNodes);
  question.least_share = members.number("least_share").value_or(kUsualShare);
  if (!(question.least_share >= 0 && question.least_share <= 1))
    members.complain("least_share", "is not between 0 and 1");
  question.root = members.indexes("root");
  return question;
}

// Frames of an answer, numbered as they come.
class Frames {
 public:
  std::uint32_t number(std::uint32_t frame) {
    const auto [place, fresh] =
        numbers_.try_emplace(frame, static_cast<std::uint32_t>(all_.size()));
    if (fresh) all_.push_back(frame);
    return place->second;
  }
  void write(JsonWriter& json, const service::IndexedTrace& trace, const ProfileTree& of) const {
    json.key("frames");
    json.begin_object();
    std::vector<service::FrameName> names;
    for (const std::uint32_t frame : all_) names.push_back(service::frame_name(trace, of, frame));
    write_numbers(json, "id", all_);
    write_texts(json, "name", names, [](const auto& name) { return std::string_view(name.name); });
    write_texts(json, "package", names,
                [](const auto& name) { return std::string_view(name.package); });
    write_texts(json, "kind", names, [](const auto& name) { return name.kind; });
    json.end_object();
  }

 private:
  template <class Get>
  static void write_texts(JsonWriter& json, std::string_view key,
                          const std::vector<service::FrameName>& names, Get get) {
    json.key(key);
    json.begin_array();
    for (const service::FrameName& name : names) json.value(get(name));
    json.end_array();
  }
  std::map<std::uint32_t, std::uint32_t> numbers_;
  std::vector<std::uint32_t> all_;
};

template <class Get>
void write_column(JsonWriter& json, std::string_view key, const std::vector<WeighedNode>& nodes,
                  Get get) {
  json.key(key);
  json.begin_array();
  for (const WeighedNode& node : nodes) json.value(get(node));
  json.end_array();
}

void write_nodes(JsonWriter& json, std::string_view key, const analysis::CutTree& cut,
                 bool has_parts, Frames& frames) {
  const std::vector<WeighedNode>& nodes = cut.tree.nodes;
  json.key(key);
  json.begin_object();
  write_column(json, "parent", nodes, [](const auto& node) { return node.parent; });
  json.key("frame");
  json.begin_array();
  // The root is no frame.
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (i == 0) json.null();
    else json.value(frames.number(nodes[i].method));
  json.end_array();
  write_column(json, "self", nodes, [&](const auto& node) { return cut.tree.value(node); });
  write_numbers(json, "total", cut.totals);
  write_column(json, "count", nodes, [](const auto& node) { return node.count; });
  if (has_parts) {
    write_column(json, "blocked", nodes, [](const auto& node) { return node.blocked; });
    write_column(json, "waiting", nodes, [](const auto& node) { return node.waiting; });
    write_column(json, "paused", nodes, [](const auto& node) { return node.paused; });
  }
  write_numbers(json, "hidden", cut.hidden);
  json.end_object();
}

struct Trees {
  WeighedTree main{};
  std::optional<WeighedTree> callers{};
};

Trees shaped(const ProfileAsked& question, const WeighedTree& tree) {
  switch (question.shape) {
    case Shape::down: return {analysis::below_path(tree, question.root)};
    case Shape::up: return {analysis::below_path(analysis::bottom_up(tree), question.root)};
    case Shape::sandwich:
      return {analysis::callees_of(tree, *question.method),
              analysis::callers_of(tree, *question.method)};
  }
  return {};
}

Reply write_answer(const Ask& ask, const ProfileAsked& question, const ProfileTree& made) {
  AnswerJson answer("profile", made.is_read ? From::scan : From::index);
  JsonWriter& json = answer.json();
  answer.selection(question.part);
  json.member("weight", made.weight->key);
  json.member("title", made.weight->title);
  json.member("unit", unit_word(*made.weight));
  const std::uint64_t total = made.tree.totals().front();
  const auto least = static_cast<std::uint64_t>(question.least_share * static_cast<double>(total));
  const Trees trees = shaped(question, made.tree);
  const auto cut = analysis::cut_to(trees.main, question.most, least);
  Frames frames;
  write_nodes(json, "nodes", cut, made.has_parts, frames);
  if (trees.callers)
    write_nodes(json, "callers", analysis::cut_to(*trees.callers, question.most, least),
                made.has_parts, frames);
  frames.write(json, ask.trace(), made);
  json.member("total", total);
  json.member("selected_total", cut.totals.front());
  json.key("cut");
  json.begin_object();
  json.member("nodes", cut.cut);
  json.member("value", cut.cut_value);
  json.end_object();
  write_numbers(json, "limits", made.limits);
  return answer.take(ask.trace().is_partial(), made.notes);
}

}  // namespace

Answered answer_profile(Ask& ask) {
  const ProfileAsked question = read_profile_asked(ask, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const auto made = service::ask_tree(
      ask.trace(),
      {.part = question.part, .weight = question.weight, .by_thread = question.by_thread});
  if (!made) return tl::unexpected(fault_reply(made.error()));
  return write_answer(ask, question, *made);
}

}  // namespace polytrace::server
