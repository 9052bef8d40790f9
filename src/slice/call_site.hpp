// SPDX-License-Identifier: Apache-2.0
// Where a thread was when something happened to it, as its own calls tell it.
#pragma once

#include <span>
#include <vector>

#include "event/open_calls.hpp"
#include "slice/selection.hpp"
#include "slice/slice.hpp"
#include "slice/stacks.hpp"

namespace polytrace::slice {

// Where a thread is by its recorded calls.
struct CallSite {
  std::uint32_t method = NameTable::kNone;  // the innermost one, helpers aside; kNone for none
  std::uint32_t stack = StackTree::kRoot;   // of an allocation: all of them, a node of `stacks`
};

// Of the events of a slice that may ask for it.
struct CallSites {
  bool found = false;  // who walks the calls first finds them on its way
  std::vector<CallSite> by_event;
  StackTree stacks;

  static bool has_site(event::Kind kind) {
    using event::Kind;
    return kind == Kind::Alloc || kind == Kind::Throw || kind == Kind::Monitor || kind == Kind::Gc;
  }
  // `open`: the thread's calls, outermost first: an id, and the stack's node where it is known.
  template <class Call>
  void find(std::span<Call> open, const event::Event& event, std::uint32_t index,
            const Names& names) {
    if (!has_site(event.kind)) return;
    by_event[index].method = innermost(open, names);
    if (event.kind == event::Kind::Alloc) by_event[index].stack = stack_of(open, stacks, names);
  }

  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  // The innermost method, helpers aside; NameTable::kNone where nothing is open.
  template <class Call>
  static std::uint32_t innermost(std::span<Call> open, const Names& names) {
    for (std::size_t i = open.size(); i > 0; --i) {
      if (open[i - 1].id == base::kNoId) continue;
      const std::uint32_t method = names.methods().index(open[i - 1].id);
      if (!names.is_helper(method)) return method;
    }
    return NameTable::kNone;
  }
  // The stack as a node of `tree`: the same tree each time.
  template <class Call>
  static std::uint32_t stack_of(std::span<Call> open, StackTree& tree, const Names& names) {
    std::size_t known = open.size();
    while (known > 0 && open[known - 1].stack == kUnknown) --known;
    std::uint32_t node = known == 0 ? StackTree::kRoot : open[known - 1].stack;
    for (Call& call : open.subspan(known)) {
      if (call.id != base::kNoId) node = tree.child(node, names.methods().index(call.id));
      call.stack = node;
    }
    return node;
  }
};

// The method (an index of Names::methods()) whose recorded call encloses batch.events[event],
// runtime helpers aside; kNone where no call does.
inline std::uint32_t call_around(const Slice& slice, std::uint32_t event) {
  return slice.sites == nullptr ? NameTable::kNone : slice.sites->by_event[event].method;
}

// The innermost frame of a stack, runtime helpers aside; without a stack, the call around.
inline std::uint32_t site_of(const Slice& slice, std::uint32_t event, const event::Stack& stack) {
  const auto frames = slice.batch.list(stack);
  for (std::size_t i = frames.size(); i > 0; --i) {
    const std::uint32_t method = slice.names.methods().index(frames[i - 1]);
    if (!slice.names.is_helper(method)) return method;
  }
  return frames.empty() ? call_around(slice, event) : NameTable::kNone;
}

// One thread's stack as its Enter, Leave and Unwind events tell it: for events that carry no stack
// of their own. A call costs a few instructions; the tree is touched only when a stack is asked
// for.
class LiveStack {
 public:
  // Enter, Leave and Unwind events of the thread. One account for all threads of a pass.
  void follow(const event::Batch& batch, std::span<const event::Event> calls,
              event::CallAccount& account);
  // The stack as a node of `tree`: the same tree each time.
  std::uint32_t node(StackTree& tree, const Names& names) {
    return CallSites::stack_of(open(), tree, names);
  }

  struct Call : event::OpenCall {
    std::uint32_t stack;
  };
  // Outermost first, until the next follow().
  std::span<Call> open() { return calls_.all(); }

 private:
  event::OpenCalls<Call> calls_;
};

inline void LiveStack::follow(const event::Batch& batch, std::span<const event::Event> calls,
                              event::CallAccount& account) {
  const auto is_plain = [](const event::Event& call) { return call.detail == event::kAbsent; };
  for (auto call = calls.begin(); call != calls.end(); ++call) {
    if (call->kind != event::Kind::Enter) {
      calls_.leave(event::called(batch, *call), account);
      continue;
    }
    const auto next = call + 1;
    const bool is_left = next != calls.end() && next->kind == event::Kind::Leave &&
                         next->id == call->id && is_plain(*call) && is_plain(*next);
    if (is_left && calls_.dropped() == 0) ++call;
    else calls_.enter({event::called(batch, *call), CallSites::kUnknown}, account);
  }
}

}  // namespace polytrace::slice
