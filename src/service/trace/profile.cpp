// SPDX-License-Identifier: Apache-2.0
#include "service/trace/profile.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/codes.hpp"
#include "service/ask/calls_from_index.hpp"
#include "slice/slicer.hpp"

namespace polytrace::service {
namespace {

using analysis::Carrier;
using analysis::WeighedMaker;
using analysis::WeighedNode;
using analysis::WeighedTree;
using analysis::Weight;

// --- of calls -------------------------------------------------------------------------------

void add_calls(const IndexedTrace& trace, const store::RangeSums& sums, std::uint32_t top,
               std::uint32_t other_paths, WeighedMaker& maker) {
  const store::Paths& paths = trace.store().paths();
  const auto nodes = sums.tree(paths);
  std::vector<std::uint32_t> places(nodes.size(), top);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const store::PathFigures& own = nodes[i].own;
    const std::uint32_t method = paths.method(own.path);
    places[i] =
        maker.child(places[nodes[i].caller], method == store::kNoMethod ? other_paths : method);
    WeighedNode figures;
    figures.weight = own.self;
    figures.count = own.calls;
    figures.blocked = own.blocked;
    figures.waiting = own.waiting;
    figures.paused = own.paused;
    maker.node(places[i]).add(figures);
  }
}

base::result<void> add_threads(const IndexedTrace& trace, store::Range range,
                               std::uint32_t other_paths, WeighedMaker& maker) {
  std::vector<std::uint32_t> threads = std::exchange(range.threads, {});
  if (threads.empty())
    for (std::uint32_t i = 0; i < trace.threads(); ++i) threads.push_back(i);
  for (const std::uint32_t thread : threads) {
    range.threads = {thread};
    const auto sums = trace.store().calls(range);
    if (!sums) return base::Unexpected(sums.error());
    if (sums->paths().empty()) continue;
    const std::uint32_t top = maker.child(WeighedTree::kRoot, kThreadFrames + thread);
    add_calls(trace, *sums, top, other_paths, maker);
  }
  return {};
}

constexpr std::uint32_t kUnownedCalls = kOtherFrames;
constexpr std::uint32_t kMergedPaths = kOtherFrames + 1;

base::result<ProfileTree> tree_of_calls(const IndexedTrace& trace, const TreeQuestion& question) {
  ProfileTree made{.weight = question.weight, .others = {"(runtime helpers)", "(other paths)"}};
  WeighedTree like;
  like.is_count = question.weight->is_count;
  WeighedMaker maker(like);
  const store::Range range = range_of(trace, question.part);
  if (question.by_thread) {
    if (auto added = add_threads(trace, range, kMergedPaths, maker); !added)
      return base::Unexpected(added.error());
  } else {
    const auto sums = trace.store().calls(range);
    if (!sums) return base::Unexpected(sums.error());
    add_calls(trace, *sums, WeighedTree::kRoot, kMergedPaths, maker);
  }
  made.tree = maker.take();
  made.has_parts = std::ranges::any_of(made.tree.nodes, [](const WeighedNode& node) {
    return node.blocked != 0 || node.waiting != 0 || node.paused != 0;
  });
  return made;
}

// --- of other weights -----------------------------------------------------------------------

class ProfilePass final : public event::Consumer {
 public:
  ProfilePass(const slice::Selection& selection, const analysis::ProfileOptions& options)
      : builder_(selection, options) {
    if (analysis::needs_sites(options.weight)) slicer_.follow_calls();
  }
  bool consume(const event::Batch& batch) override {
    slicer_.slice(batch, [&](const slice::Slice& slice) { builder_.consume(slice); });
    return true;
  }
  base::result<analysis::Profile> finish() { return builder_.finish(slicer_.names()); }

 private:
  slice::Slicer slicer_;
  analysis::ProfileBuilder builder_;
};

// A profile's frames are names; which method that is, where several have it, it does not know: the
// first.
class FrameNumbers {
 public:
  FrameNumbers(const IndexedTrace& trace, std::vector<std::string>& others) : others_(others) {
    for (std::uint32_t i = trace.methods(); i-- > 0;) known_[trace.method_name(i)] = i;
  }
  std::uint32_t number(const std::string& name) {
    const auto [place, fresh] =
        known_.try_emplace(name, kOtherFrames + static_cast<std::uint32_t>(others_.size()));
    if (fresh) others_.push_back(name);
    return place->second;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> known_;
  std::vector<std::string>& others_;
};

std::uint32_t thread_frame(const IndexedTrace& trace, const analysis::Profile::Thread& thread,
                           FrameNumbers& numbers) {
  for (std::uint32_t i = 0; i < trace.threads(); ++i)
    if (trace.thread_id(i) == thread.id && trace.thread_name(i) == thread.name)
      return kThreadFrames + i;
  return numbers.number(thread.name);
}

void add_profile(const IndexedTrace& trace, const analysis::Profile& profile, bool by_thread,
                 ProfileTree& made) {
  FrameNumbers numbers(trace, made.others);
  std::vector<std::uint32_t> frames;
  for (const auto& frame : profile.frames) frames.push_back(numbers.number(frame.name));
  WeighedTree like;
  like.is_count = profile.weight->is_count;
  like.counts_calls = profile.weight->carrier == Carrier::calls;
  WeighedMaker maker(like);
  std::vector<std::uint32_t> places(profile.nodes.size());
  for (const auto& thread : profile.threads) {
    const std::uint32_t top =
        by_thread ? maker.child(WeighedTree::kRoot, thread_frame(trace, thread, numbers)) : 0;
    for (std::uint32_t i = thread.begin; i < thread.end; ++i) {
      const std::uint32_t parent = profile.nodes[i].parent;
      places[i] = maker.child(parent == analysis::Profile::kRoot ? top : places[parent],
                              frames[profile.nodes[i].frame]);
      WeighedNode figures;
      figures.weight = profile.selfs[i].weight;
      figures.count = profile.selfs[i].count;
      maker.node(places[i]).add(figures);
    }
  }
  made.tree = maker.take();
}

Asked<ProfileTree> tree_of_events(const IndexedTrace& trace, const TreeQuestion& question) {
  const auto input = trace.input(question.part.stop);
  auto opened = input->open();
  if (!opened) return refuse(opened.error(), trace.file());
  slice::Selection selection = selection_of(trace, question.part);
  ProfilePass builder(selection, {.weight = question.weight, .by_thread = question.by_thread});
  const Passed passed = pass(*input, *opened->reader, builder);
  if (passed.interrupted) return refuse({base::Code::limit_exceeded, {}, "stopped"});
  const auto profile = builder.finish();
  if (!profile) return refuse(profile.error(), trace.file());
  ProfileTree made{.weight = profile->weight,
                   .is_read = true,
                   .notes = profile->notes,
                   .limits = profile->limits};
  add_profile(trace, *profile, question.by_thread, made);
  return made;
}

// --- of any ---------------------------------------------------------------------------------

// The frame of what rules leave without a caller.
std::uint32_t hidden_frame(ProfileTree& made) {
  constexpr std::string_view kHidden = "(hidden)";
  const auto place = std::ranges::find(made.others, kHidden);
  const auto number = static_cast<std::uint32_t>(place - made.others.begin());
  if (place == made.others.end()) made.others.emplace_back(kHidden);
  return kOtherFrames + number;
}

void apply(const IndexedTrace& trace, const TracePart& part, ProfileTree& made) {
  if (!part.helpers && trace.has_helpers() && made.weight->carrier == Carrier::calls)
    made.tree = analysis::without_frames(
        made.tree, [&](std::uint32_t method) { return trace.is_helper(method); }, kUnownedCalls);
  for (const analysis::Rule& rule : part.rules)
    made.tree = analysis::with_rule(made.tree, rule, hidden_frame(made));
  if (part.fold) made.tree = analysis::without_recursion(made.tree);
}

// Those that only tell of a changed stack are calls.
bool has_samples(const IndexedTrace& trace) {
  const auto sums = trace.store().sums(store::SumKind::samples, {});
  return sums && !sums->empty();
}

// Of calls, or of threads.
bool has_cpu(const IndexedTrace& trace) {
  const auto of_threads = has_cpu_of_threads(trace.store());
  if (of_threads && *of_threads && trace.store().facts().totals.blocks != 0) return true;
  const auto sums = trace.store().calls({});
  return sums && std::ranges::any_of(sums->paths(), [](const auto& sum) { return sum.cpu != 0; });
}

}  // namespace

Asked<ProfileTree> ask_tree(const IndexedTrace& trace, const TreeQuestion& question) {
  TreeQuestion asked = question;
  if (asked.weight == nullptr) {
    const auto all = weights_of(trace);
    if (all.empty())
      return refuse({base::Code::usage, {}, "the trace has nothing to make a profile from"});
    asked.weight = all.front();
  }
  Asked<ProfileTree> made;
  const bool is_of_calls = asked.weight->carrier == Carrier::calls;
  const auto is_indexed = is_of_calls ? sums_have_all_calls(trace.store()) : false;
  if (!is_indexed) return refuse(is_indexed.error(), trace.file());
  if (*is_indexed) {
    auto tree = tree_of_calls(trace, asked);
    if (!tree) return refuse(tree.error(), trace.file());
    made = std::move(*tree);
  } else {
    made = tree_of_events(trace, asked);
  }
  if (made) apply(trace, asked.part, *made);
  return made;
}

std::vector<const Weight*> weights_of(const IndexedTrace& trace) {
  std::vector<const Weight*> found;
  const auto has_rows = [&](event::Kind kind) { return trace.rows(kind) != 0; };
  const auto is_there = [&](Carrier carrier) {
    switch (carrier) {
      case Carrier::calls:
        if (trace.store().facts().totals.blocks != 0) return true;
        break;
      case Carrier::samples: return has_samples(trace);
      case Carrier::cpu: return has_cpu(trace);
      default: break;
    }
    return std::ranges::any_of(analysis::kinds_of(carrier), has_rows);
  };
  for (const Weight& weight : analysis::weights())
    if (is_there(weight.carrier)) found.push_back(&weight);
  return found;
}

FrameName frame_name(const IndexedTrace& trace, const ProfileTree& of, std::uint32_t frame) {
  if (frame == analysis::kMoreFrames) return {"(more)", {}, "other"};
  if (frame >= kOtherFrames) {
    const std::uint32_t other = frame - kOtherFrames;
    return {other < of.others.size() ? of.others[other] : std::string(), {}, "other"};
  }
  if (frame >= kThreadFrames) return {trace.thread_name(frame - kThreadFrames), {}, "thread"};
  const std::string& name = trace.method_name(frame);
  return {name, std::string(package_of(name)), trace.is_helper(frame) ? "helper" : "method"};
}

}  // namespace polytrace::service
