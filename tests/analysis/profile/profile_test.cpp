// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/profile.hpp"

#include <gtest/gtest.h>

#include <map>

#include "analysis/calls/calltree.hpp"
#include "analysis/recording.hpp"

namespace polytrace::analysis {
namespace {

// What Recording feeds.
class Fed final : public Analysis {
 public:
  explicit Fed(const ProfileOptions& options, const Selection& selection = {})
      : builder(selection, options), tree(options.tree) {}
  void consume(const Slice& slice) override {
    if (tree) tree->consume(slice);
    builder.consume(slice);
  }
  void finish(const Names& names) override {
    if (tree) tree->finish(names);
  }
  std::vector<Table> tables(const Names&, const TableOptions&) const override { return {}; }

  ProfileBuilder builder;
  std::shared_ptr<CallTree> tree;
};

using Stacks = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;

// "caller;callee" to calls and weight of its own.
Stacks stacks(const Profile& profile) {
  Stacks out;
  for (std::uint32_t node = 1; node < profile.nodes.size(); ++node) {
    std::string path;
    for (std::uint32_t at = node; at != Profile::kRoot; at = profile.nodes[at].parent)
      path = profile.frames[profile.nodes[at].frame].name + (path.empty() ? "" : ";") + path;
    const Amount& self = profile.selfs[node];
    if (self.count != 0 || self.weight != 0) out[path] = {self.count, self.weight};
  }
  return out;
}

void record_calls(Recording& r) {
  r.name(1, "Main").name(2, "Work");
  r.enter(0, 1).enter(10, 2).leave(40, 2).enter(50, 2).leave(60, 2).leave(100, 1).finish();
}

TEST(profile, of_chosen_names_has_their_stacks_only) {
  Selection selection;
  selection.name = event::NameChoice("Pay");
  Fed fed({}, selection);
  Recording r(fed);
  r.name(1, "Main").name(2, "Pay").name(3, "Print").name(4, "Work");
  r.enter(0, 1).enter(10, 4).leave(40, 4).enter(50, 2).enter(52, 3).leave(55, 3);
  r.leave(60, 2).leave(100, 1).finish();
  const auto profile = fed.builder.finish(r.names());
  ASSERT_TRUE(profile);
  EXPECT_EQ(stacks(*profile), (Stacks{{"Main;Pay", {1, 7}}, {"Main;Pay;Print", {1, 3}}}));
  EXPECT_EQ(profile->total().weight, 10U);
  EXPECT_EQ(profile->frames.size(), 3U);
  EXPECT_EQ(profile->nodes.size(), 4U) << "the root, Main, Pay and Print";
}

const Stacks kOfCalls{{"Main", {1, 60}}, {"Main;Work", {2, 40}}};

TEST(profile, of_calls_has_calls_and_time_by_stack) {
  Fed fed({});
  Recording r(fed);
  record_calls(r);
  const auto profile = fed.builder.finish(r.names());
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->weight->key, "time");
  EXPECT_EQ(stacks(*profile), kOfCalls);
  EXPECT_EQ(profile->total().weight, 100U);
  EXPECT_EQ(profile->first, 0);
  EXPECT_EQ(profile->last, 100);
}

TEST(profile, of_anothers_tree_is_the_same) {
  Fed fed({.tree = std::make_shared<CallTree>(Selection{})});
  Recording r(fed);
  record_calls(r);
  EXPECT_EQ(stacks(*fed.builder.finish(r.names())), kOfCalls);
}

TEST(profile, by_thread_each_has_nodes_of_its_own) {
  Fed fed({.by_thread = true});
  Recording r(fed);
  r.name(1, "Main");
  r.thread(7).enter(0, 1).leave(30, 1).thread(8).enter(5, 1).leave(10, 1).finish();
  const auto profile = fed.builder.finish(r.names());
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->threads.size(), 2U);
  for (const auto& [thread, weight] : {std::pair(0U, 30U), std::pair(1U, 5U)}) {
    const Profile::Thread& one = profile->threads[thread];
    EXPECT_EQ(one.id, 7U + thread);
    std::uint64_t sum = 0;
    for (std::uint32_t node = one.begin; node < one.end; ++node) sum += profile->self(node);
    EXPECT_EQ(sum, weight);
  }
}

TEST(profile, of_cpu_time_leaves_out_what_a_thread_used_before) {
  Fed fed({.weight = find_weight("cpu")});
  Recording r(fed);
  r.name(1, "Main").name(2, "Work");
  event::Enter enter;
  event::Leave leave;
  enter.cpu = 5'000'000'000;
  r.add(0, 1, enter);
  enter.cpu += 40;
  r.add(10, 2, enter);
  leave.cpu = enter.cpu + 2;
  r.add(20, 2, leave).finish();
  EXPECT_EQ(stacks(*fed.builder.finish(r.names())),
            (Stacks{{"Main", {1, 40}}, {"Main;Work", {1, 2}}}));
}

TEST(profile, of_cpu_time_that_calls_do_not_tell_is_what_was_busy) {
  Fed fed({.weight = find_weight("cpu")});
  Recording r(fed);
  event::Cpu cpu;
  cpu.scope = event::CpuScope::thread;
  cpu.span = 100;
  cpu.used = 50;
  r.name(1, "Main").name(2, "Work").name(3, "Wait");
  r.thread(1).enter(0, 1).enter(10, 2).leave(40, 2).enter(50, 2).leave(60, 2).leave(100, 1);
  r.add(100, base::kNoId, cpu);
  cpu.used = 0;
  r.thread(2).enter(0, 3).leave(100, 3).add(100, base::kNoId, cpu).finish();
  const auto profile = fed.builder.finish(r.names());
  ASSERT_TRUE(profile);
  // Five pieces, each of which has 10 of the 50.
  EXPECT_EQ(stacks(*profile), (Stacks{{"Main", {1, 30}}, {"Main;Work", {2, 20}}}));
  EXPECT_EQ(profile->nodes.size(), 3U) << "the root, Main and Work";
}

TEST(profile, of_samples_counts_their_weight) {
  Fed fed({});
  Recording r(fed);
  r.name(1, "Main").name(2, "Work");
  event::Sample sample;
  sample.stack = r.stack({1, 2});
  r.add(10, 1, sample);
  sample.weight = 4;
  sample.stack = r.stack({1});
  r.add(20, 1, sample).finish();
  EXPECT_EQ(stacks(*fed.builder.finish(r.names())),
            (Stacks{{"Main", {1, 4}}, {"Main;Work", {1, 1}}}));
}

TEST(profile, a_weight_that_the_trace_has_not_is_refused_with_those_it_has) {
  Fed fed({.weight = find_weight("bytes")});
  Recording r(fed);
  record_calls(r);
  const auto profile = fed.builder.finish(r.names());
  ASSERT_FALSE(profile);
  EXPECT_NE(base::to_text(profile.error()).find("only: time, calls"), std::string::npos);
}

TEST(profile, pruned_keeps_the_total_and_says_what_it_hides) {
  Fed fed({});
  Recording r(fed);
  r.name(1, "Main");
  r.enter(0, 1);
  for (base::Id method = 10; method < 20; ++method) {
    const auto start = static_cast<base::Time>(method * 100);
    r.enter(start, method).leave(start + static_cast<base::Time>(method), method);
  }
  r.leave(5000, 1).finish();
  const auto profile = fed.builder.finish(r.names());
  ASSERT_TRUE(profile);
  const Amount before = profile->total();
  const Pruned pruned = prune(*profile, 4, 0);
  EXPECT_EQ(pruned.profile.total().weight, before.weight);
  EXPECT_EQ(pruned.profile.total().count, before.count);
  EXPECT_GT(pruned.cut, 0U);
  std::uint64_t hidden = 0;
  for (const std::uint64_t count : pruned.hidden) hidden += count;
  EXPECT_EQ(hidden, pruned.cut);
}

}  // namespace
}  // namespace polytrace::analysis
