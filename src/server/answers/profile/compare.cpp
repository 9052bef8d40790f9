// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "analysis/diff/comparison.hpp"
#include "base/codes.hpp"
#include "server/answers/ask.hpp"
#include "server/answers/profile/pruned_json.hpp"
#include "service/ask/diff.hpp"
#include "service/trace/profile.hpp"

namespace polytrace::server {
namespace {

using analysis::Amount;
using analysis::PerWhat;
using analysis::Profile;
using base::JsonWriter;

constexpr std::uint64_t kComparedNodes = 20'000;

// One of both: what an answer about it alone would be made from.
struct Side {
  TraceView view{};
  Part part{};
};

struct CompareAsked {
  Side a{};
  Side b{};
  const analysis::Weight* weight = nullptr;
  analysis::DiffOptions diff{};
};

void read_trace(const Ask& ask, const std::string& id, Members& members, TraceView& view) {
  auto found = ask.offers.traces.find(id);
  if (!found) return members.complain("trace", "is none that is open");
  if (found->state != TraceState::ready) return members.complain("trace", "is not ready");
  if (found->source->change()) return members.complain("trace", "is of a file that has changed");
  view = std::move(*found);
}

Side read_side(const Ask& ask, Members members) {
  Side side;
  read_trace(ask, members.text("trace"), members, side.view);
  if (side.view.trace == nullptr) {
    static_cast<void>(members.object("selection"));
    return side;
  }
  Ask one{.offers = ask.offers,
          .request = ask.request,
          .query = ask.query,
          .body = ask.body,
          .stop = ask.stop,
          .view = side.view};
  side.part = read_selection(one, members);
  return side;
}

void read_options(Members& members, CompareAsked& question) {
  const std::string weight = members.text("weight");
  question.weight = analysis::find_weight(weight);
  if (question.weight == nullptr && !weight.empty()) members.complain("weight", "is none");
  const std::string per = members.text("per", "nothing");
  if (per == "time") question.diff.per = PerWhat::time;
  else if (per == "calls") question.diff.per = PerWhat::calls;
  else if (per != "nothing") members.complain("per", "is none of nothing, time, calls");
  const std::string names = members.text("names", "alike");
  question.diff.exact_names = names == "exact";
  if (names != "exact" && names != "alike") members.complain("names", "is none of alike, exact");
  question.diff.table.limit = members.count("limit", 20);
}

CompareAsked read_compare_asked(const Ask& ask, Members members) {
  CompareAsked question;
  auto a = members.object("a"), b = members.object("b");
  if (!a || !b) {
    members.complain("a", "and \"b\" are needed");
    return question;
  }
  question.a = read_side(ask, std::move(*a));
  question.b = read_side(ask, std::move(*b));
  read_options(members, question);
  return question;
}

// As the other analyses have profiles: frames by name.
Profile profile_of(const service::IndexedTrace& trace, const service::ProfileTree& made) {
  Profile profile;
  profile.weight = made.weight;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  for (const analysis::WeighedNode& node : made.tree.nodes) {
    const auto [place, fresh] =
        numbers.try_emplace(node.method, static_cast<std::uint32_t>(profile.frames.size()));
    if (fresh) {
      const service::FrameName name = service::frame_name(trace, made, node.method);
      profile.frames.push_back({.name = name.name, .is_helper = name.kind == "helper"});
    }
    profile.nodes.push_back({node.parent, place->second});
    profile.selfs.push_back({node.count, node.weight});
  }
  profile.threads = {{base::kNoId, {}, 1, static_cast<std::uint32_t>(profile.nodes.size())}};
  return profile;
}

service::Asked<Profile> ask_profile(const Side& side, const analysis::Weight* weight) {
  const auto made = service::ask_tree(*side.view.trace, {.part = side.part, .weight = weight});
  if (!made) return tl::unexpected(made.error());
  return profile_of(*side.view.trace, *made);
}

service::Asked<analysis::DiffSide> read_run(const Side& side, const CompareAsked& question) {
  const auto input = side.view.trace->input(side.part.stop);
  auto opened = input->open();
  if (!opened) return service::refuse(opened.error(), side.view.file);
  const slice::Selection selection = service::selection_of(*side.view.trace, side.part);
  auto run = std::make_unique<analysis::DiffRun>(selection, question.weight);
  const service::Passed passed = service::pass(*input, *opened->reader, *run);
  if (passed.interrupted) return service::refuse({base::Code::limit_exceeded, {}, "stopped"});
  run->finish();
  analysis::DiffSide all;
  all.push_back(std::move(run));
  return all;
}

Answered write_answer(const CompareAsked& question, const Profile& before, const Profile& now,
                      const analysis::Difference& difference) {
  AnswerJson answer("compare", From::scan);
  JsonWriter& json = answer.json();
  json.member("weight", now.weight->key);
  json.member("unit", unit_word(*now.weight));
  const auto pruned = analysis::prune(analysis::compared(now, before, question.diff.exact_names),
                                      kComparedNodes, 0);
  write_pruned(json, pruned);
  write_frames(json, pruned.profile, [](const Profile::Frame&) { return std::nullopt; });
  json.member("scale", difference.scale);
  service::write_growths(json, difference);
  service::write_tables(json, difference.tables);
  return answer.take(question.a.view.trace->is_partial() || question.b.view.trace->is_partial());
}

}  // namespace

Answered answer_compare(Ask& ask) {
  const CompareAsked question = read_compare_asked(ask, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const auto before = ask_profile(question.a, question.weight);
  if (!before) return tl::unexpected(fault_reply(before.error()));
  const auto now = ask_profile(question.b, before->weight);
  if (!now) return tl::unexpected(fault_reply(now.error()));
  const auto first = read_run(question.a, question), second = read_run(question.b, question);
  if (!first) return tl::unexpected(fault_reply(first.error()));
  if (!second) return tl::unexpected(fault_reply(second.error()));
  return write_answer(question, *before, *now, analysis::compare(*first, *second, question.diff));
}

}  // namespace polytrace::server
