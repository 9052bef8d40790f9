// SPDX-License-Identifier: Apache-2.0
// What slicing and the call analyses cost per event, without decoding: batches as large as a
// decoder's, events as common programs make them. Beside it two bounds: touching the events, and
// keeping the stacks of open calls without any figure. Prints nanoseconds of CPU per event.
// usage: calls_bench [MILLIONS]
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "analysis/calls/calls.hpp"
#include "analysis/calls/calltree.hpp"
#include "slice/slicer.hpp"

namespace {

using polytrace::base::Id;
using polytrace::event::Batch;
using polytrace::event::Kind;
namespace analysis = polytrace::analysis;
namespace slice = polytrace::slice;

constexpr std::size_t kBatchEvents = 12'000;
std::size_t events_of_each = 40'000'000;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A random program: at each step it calls one of the current method's callees or returns.
class Program {
 public:
  Program(unsigned callees, unsigned depth, unsigned methods)
      : callees_(callees), depth_(depth), methods_(methods) {}

  void fill(Batch& batch) {
    batch.clear();
    const auto thread = batch.thread_slot(7);
    for (std::size_t i = 0; i < kBatchEvents; ++i) {
      time_ += 50 + static_cast<std::int64_t>(random() % 100);
      const bool enter = stack_.empty() || (stack_.size() < depth_ && random() % 2 == 0);
      if (enter) {
        const Id caller = stack_.empty() ? 0 : stack_.back();
        const std::uint64_t which = (caller * 31 + 7 + random() % callees_) % methods_;
        stack_.push_back(0x7f0000000000 + which * 264);
        batch.add_plain(time_, thread, stack_.back(), Kind::Enter);
      } else {
        batch.add_plain(time_, thread, stack_.back(), Kind::Leave);
        stack_.pop_back();
      }
    }
  }

 private:
  std::uint64_t random() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return state_ >> 11;
  }
  unsigned callees_;
  unsigned depth_;
  unsigned methods_;
  std::uint64_t state_ = 88172645463325252U;
  std::int64_t time_ = 0;
  std::vector<Id> stack_;
};

// A loop that calls three methods, one of which calls another: what a hot loop looks like.
class Loop {
 public:
  void fill(Batch& batch) {
    batch.clear();
    const auto thread = batch.thread_slot(7);
    while (batch.events.size() < kBatchEvents) {
      for (Id method = 1; method <= 3; ++method) {
        batch.add_plain(time_ += 60, thread, method * 264, Kind::Enter);
        if (method == 2) {
          batch.add_plain(time_ += 60, thread, 4 * 264, Kind::Enter);
          batch.add_plain(time_ += 60, thread, 4 * 264, Kind::Leave);
        }
        batch.add_plain(time_ += 60, thread, method * 264, Kind::Leave);
      }
    }
  }

 private:
  std::int64_t time_ = 0;
};

// Of a walk over calls: nothing is counted.
struct NoFigures {
  static constexpr bool kAsksRecursion = false;
  static constexpr bool kTakesSums = false;
  struct Frame : analysis::WalkedCall {
    polytrace::base::Time start;
  };
  static Frame bottom(std::uint32_t) {
    return {{{polytrace::base::kNoId, 0}, analysis::NameTable::kNone, 0}, 0};
  }
  static void enter(const Frame&, Frame& frame, const polytrace::event::Event&,
                    polytrace::base::Time start, const analysis::Names&) {
    frame.start = start;
    frame.method = analysis::NameTable::kNone;
  }
  static void leave(Frame&, const Frame& frame, polytrace::base::Time end, bool) {
    asm volatile("" : : "r"(frame.start), "r"(end));
  }
  analysis::WorkClock clock{slice::Selection{}};
};

template <class Source, class Take>
void measure(const char* shape, const char* what, Source source, Take&& take) {
  Batch batch;
  double used = 0;
  std::size_t events = 0;
  while (events < events_of_each) {
    source.fill(batch);
    events += batch.events.size();
    const double start = cpu_seconds();
    take(batch);
    used += cpu_seconds() - start;
  }
  fmt::print("{:<10} {:<8} {:6.2f} ns/event\n", shape, what,
             used * 1e9 / static_cast<double>(events));
}

template <class Source>
void measure_all(const char* shape, const Source& source) {
  measure(shape, "touch", source, [](const Batch& b) {
    std::uint64_t sum = 0;
    for (const auto& event : b.events) sum += event.id + static_cast<std::uint64_t>(event.time);
    asm volatile("" : : "r"(sum));
  });
  slice::Slicer walk_slicer;
  analysis::CallWalk<NoFigures> walk{slice::Selection{}};
  NoFigures none;
  measure(shape, "stacks", source, [&](const Batch& b) {
    walk_slicer.slice(b, [&](const slice::Slice& slice) { walk.consume(slice, none); });
  });
  slice::Slicer plain;
  measure(shape, "slice", source, [&](const Batch& b) { plain.slice(b, [](const auto&) {}); });
  slice::Slicer flat_slicer;
  analysis::Calls flat{slice::Selection{}};
  measure(shape, "flat", source, [&](const Batch& b) {
    flat_slicer.slice(b, [&](const slice::Slice& slice) { flat.consume(slice); });
  });
  slice::Slicer tree_slicer;
  analysis::CallTree tree{slice::Selection{}};
  measure(shape, "tree", source, [&](const Batch& b) {
    tree_slicer.slice(b, [&](const slice::Slice& slice) { tree.consume(slice); });
  });
  const double start = cpu_seconds();
  tree.finish(tree_slicer.names());
  fmt::print("{:<10} {} tree nodes, summed up in {:.0f} ms\n", shape, tree.nodes().size(),
             (cpu_seconds() - start) * 1e3);
}

}  // namespace

int main(int count, char** words) {
  if (count > 1) events_of_each = static_cast<std::size_t>(std::atof(words[1]) * 1e6);
  measure_all("loop", Loop());
  measure_all("program", Program(4, 12, 2000));
  measure_all("deep", Program(4, 60, 5000));
}
