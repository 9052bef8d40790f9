// SPDX-License-Identifier: Apache-2.0
// The methods: calls, total, self, elapsed, average, shortest and longest.
//   total    every call counts with its whole duration; in a recursion each level counts anew
//   elapsed  only calls outside any other call of the same method in their thread
//   self     duration without the calls it made
#pragma once

#include <memory>

#include "analysis/call_totals.hpp"
#include "analysis/call_walk.hpp"

namespace polytrace::analysis {

class CallTree;

class Calls : public Analysis {
 public:
  // With a tree (which must be fed and finished first), everything is taken from it; without, a
  // leaner walk of its own does it.
  explicit Calls(const Selection& selection, std::shared_ptr<const CallTree> tree = nullptr);

  void consume(const Slice& slice) override;
  void finish(const Names& names) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

  const std::vector<CallTotals>& totals() const { return totals_; }  // by method; after finish()
  const Repairs& repairs() const;

 private:
  // What CallWalk asks for.
  struct Policy {
    struct Frame {
      base::Id id;
      base::Time start;
      std::uint64_t callees;  // nanoseconds in them
      std::uint32_t method;
    };
    static Frame bottom() { return {base::kNoId, 0, 0, NameTable::kNone}; }
    void enter(const Frame&, Frame& frame, const event::Event& event, const Names& names) {
      const std::uint32_t method = names.methods().index(event.id);
      if (method >= totals.size()) [[unlikely]]
        totals.resize(method + totals.size() / 2 + 256);
      frame.id = event.id;
      frame.start = event.time;
      frame.callees = 0;
      frame.method = method;
    }
    void leave(Frame& caller, const Frame& frame, base::Time end, bool recursive) {
      std::uint64_t duration = 0;
      if (!window.measure(frame.start, end, duration)) return;
      CallTotals& method = totals[frame.method];
      method.add(duration);
      method.self += duration - frame.callees;
      if (!recursive) method.elapsed += duration;
      caller.callees += duration;
    }
    CallWindow window;
    std::vector<CallTotals> totals;
  };

  Selection selection_;
  std::shared_ptr<const CallTree> tree_;
  Policy policy_;
  CallWalk<Policy> walk_;
  std::vector<CallTotals> totals_;
};

}  // namespace polytrace::analysis
