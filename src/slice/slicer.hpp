// SPDX-License-Identifier: Apache-2.0
// Cuts batches into slices for analyses: one pass per batch, leaping over calls, that finds the
// runs of one thread, the events that are not calls and the definitions, and teaches the latter to
// Names. A batch is cut only where an id gets a new meaning. One thread at a time.
#pragma once

#include <vector>

#include "slice/call_site.hpp"
#include "slice/selection.hpp"
#include "slice/slice.hpp"
#include "slice/stack_changes.hpp"

namespace polytrace::slice {

class Slicer {
 public:
  Slicer();
  ~Slicer();
  Slicer(const Slicer&) = delete;
  Slicer& operator=(const Slicer&) = delete;

  const Names& names() const { return names_; }
  void shorten_names(std::size_t longest) { names_.shorten(longest); }
  // Slices have their sites from now on. Before the first batch: calls are followed from their
  // beginning, so that it does not matter how a trace is cut into batches. `first_walk`: whoever
  // takes slices first walks all their calls (CallWalk), and finds the sites on its way.
  enum class Follower : std::uint8_t { none, slicer, first_walk };
  // `most_nodes`: of the tree of stacks that sites are told in.
  void follow_calls(Follower by = Follower::slicer,
                    std::uint32_t most_nodes = StackTree::kMaxNodes) {
    follower_ = by;
    sites_.stacks = StackTree(most_nodes);
  }

  // Changes of stacks stay what the source told, instead of becoming calls. Before the first batch.
  void as_told() { as_told_ = true; }

  // Calls function(const Slice&) for each slice of a batch, in order. Batches in input order.
  template <class Function>
  void slice(const event::Batch& told, Function&& function) {
    const event::Batch& batch = as_told_ ? told : changes_.as_calls(told);
    scan(batch);
    while (next(batch)) {
      if (follower_ != Follower::none) begin_sites(batch);
      CallSites* const sites = follower_ != Follower::none ? &sites_ : nullptr;
      function(Slice{batch, others_in_slice(), names_, slice_runs_, threads_, sites,
                     changes_.tell_calls()});
      if (end_ == learned_to_) names_.end_slice();
    }
  }

 private:
  void scan(const event::Batch& batch);
  void extend_runs(std::uint16_t thread, std::uint32_t begin, std::uint32_t end);
  void scan_one(const event::Event& event, std::uint32_t index);
  bool next(const event::Batch& batch);
  void learn(const event::Batch& batch);
  void stop_at_ends(const event::Batch& batch);
  void number_threads(const event::Batch& batch);
  void begin_sites(const event::Batch& batch);
  void find_sites(const event::Batch& batch);
  std::span<const std::uint32_t> others_in_slice() const {
    return std::span(others_).subspan(others_begin_, others_end_ - others_begin_);
  }

  Names names_;
  bool as_told_ = false;
  StackChanges changes_;
  // Of the batch; a run's thread is still the slot in the batch.
  std::vector<std::uint32_t> others_;
  std::vector<std::uint32_t> definitions_;
  std::vector<Run> runs_;
  // Of the slice.
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t learned_to_ = 0;  // not before end_
  std::size_t definitions_taken_ = 0;
  std::size_t others_begin_ = 0;
  std::size_t others_end_ = 0;
  std::size_t first_run_ = 0;
  std::vector<Run> slice_runs_;
  std::vector<std::uint32_t> threads_;

  Follower follower_ = Follower::none;
  std::vector<LiveStack> calls_;  // by thread index
  event::CallAccount account_;
  CallSites sites_;
};

}  // namespace polytrace::slice
