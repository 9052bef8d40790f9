// SPDX-License-Identifier: Apache-2.0
// Indexes a trace and asks the index:
//   index build TRACE INDEX ENCODERS    ENCODERS: threads beside the one that reads
//   index read TRACE                    the same reading, into nothing
//   index open INDEX                    opening it and one answer, as a command does
//   index ask INDEX QUESTIONS           random stretches of time, random moments
//   index calls TRACE                   its calls as lines "thread,method,start,end,self"
// Prints "name value" lines; index.py compares them with their targets.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/format.hpp"
#include "store/store.hpp"

namespace {

namespace base = polytrace::base;
namespace event = polytrace::event;
namespace format = polytrace::format;
namespace store = polytrace::store;

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void tell(const char* name, double value) { fmt::print("{} {:.6g}\n", name, value); }

[[noreturn]] void fail(const base::Error& error) {
  fmt::print(stderr, "{}\n", base::to_text(error));
  std::exit(1);
}

template <class Value>
Value must(base::result<Value> value) {
  if (!value) fail(value.error());
  return std::move(*value);
}

std::unique_ptr<event::Reader> open_trace(const std::string& path) {
  return must(format::open(must(base::open_source(path)))).reader;
}

// CPU and wall seconds since it was made.
class Watch {
 public:
  double cpu() const { return seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_; }
  double wall() const { return seconds(CLOCK_MONOTONIC) - wall_; }

 private:
  double cpu_ = seconds(CLOCK_PROCESS_CPUTIME_ID);
  double wall_ = seconds(CLOCK_MONOTONIC);
};

void tell_cost(const Watch& watch) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  tell("cpu", watch.cpu());
  tell("wall", watch.wall());
  tell("mebibytes", static_cast<double>(usage.ru_maxrss) / 1024);
}

int build(const std::string& trace, const std::string& index, unsigned encoders) {
  const auto reader = open_trace(trace);
  store::IndexJob job{.path = index, .format = "bench"};
  job.build.encoders = encoders;
  job.pump.workers = 1 + encoders;
  const Watch watch;
  const event::PumpOutcome outcome = must(store::build_index(*reader, job));
  tell_cost(watch);
  if (outcome.error) fail(*outcome.error);
  const auto made = must(store::Store::open(index));
  tell("events", static_cast<double>(made->facts().totals.events));
  tell("paths", static_cast<double>(made->facts().totals.paths));
  tell("bytes", static_cast<double>(std::filesystem::file_size(index)));
  return 0;
}

class Nothing final : public event::Consumer {
 public:
  bool consume(const event::Batch& batch) override {
    count += batch.events.size();
    return true;
  }
  std::size_t count = 0;
};

int read(const std::string& trace) {
  const auto reader = open_trace(trace);
  Nothing nothing;
  const Watch watch;
  event::pump(*reader, nothing, {.workers = 1});
  tell_cost(watch);
  tell("events", static_cast<double>(nothing.count));
  return 0;
}

double share_of(std::vector<double>& values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void tell_times(const std::string& name, std::vector<double> values) {
  tell((name + " median ms").c_str(), share_of(values, 0.5) * 1000);
  tell((name + " p95 ms").c_str(), share_of(values, 0.95) * 1000);
}

// Of the whole trace: that it can be opened is not enough to answer anything.
int open(const std::string& index) {
  const Watch watch;
  const auto opened = must(store::Store::open(index));
  tell("open ms", watch.wall() * 1000);
  const std::size_t paths = must(opened->calls({})).paths().size();
  tell("open and profile ms", watch.wall() * 1000);
  tell("paths", static_cast<double>(paths));
  return 0;
}

int ask(const std::string& index, unsigned questions) {
  const auto opened = must(store::Store::open(index));
  const store::Totals totals = opened->facts().totals;
  std::mt19937_64 random(1);
  std::uniform_int_distribution<base::Time> moment(totals.first, totals.last);
  std::vector<double> ranges, stacks;
  must(opened->calls({}));  // paths are there
  for (unsigned i = 0; i < questions; ++i) {
    store::Range range{.from = moment(random), .to = moment(random)};
    if (range.from > range.to) std::swap(range.from, range.to);
    const Watch watch;
    const store::RangeSums sums = must(opened->calls(range));
    static_cast<void>(sums.methods(opened->paths()));
    ranges.push_back(watch.wall());
    const Watch other;
    must(opened->open_calls(static_cast<std::uint32_t>(random() % totals.threads), range.from));
    stacks.push_back(other.wall());
  }
  tell_times("methods of a range", ranges);
  tell_times("stack at a moment", stacks);
  Nothing nothing;
  const auto reader = opened->reader();
  const Watch watch;
  event::pump(*reader, nothing, {.workers = 1});
  tell("events read, M/s", static_cast<double>(nothing.count) / watch.cpu() / 1e6);
  return 0;
}

// Balanced calls only, as the traces of benchmarks have them.
class CallLines final : public event::Consumer {
 public:
  bool consume(const event::Batch& batch) override {
    for (const event::Event& one : batch.events) {
      auto& stack = stacks_[batch.thread(one)];
      if (one.kind == event::Kind::Enter) stack.push_back({one.id, one.time, 0});
      if (one.kind == event::Kind::Leave && !stack.empty())
        close(batch.thread(one), stack, one.time);
    }
    return true;
  }

 private:
  struct Open {
    base::Id method;
    base::Time start;
    base::Duration in_callees;
  };
  static void close(base::Id thread, std::vector<Open>& stack, base::Time end) {
    const Open call = stack.back();
    stack.pop_back();
    const base::Duration took = end - call.start;
    if (!stack.empty()) stack.back().in_callees += took;
    fmt::print("{},{},{},{},{}\n", thread, call.method, call.start, end, took - call.in_callees);
  }

  std::unordered_map<base::Id, std::vector<Open>> stacks_;
};

int calls(const std::string& trace) {
  const auto reader = open_trace(trace);
  CallLines lines;
  event::pump(*reader, lines, {.workers = 1});
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> told(words + 1, words + count);
  const std::string what = told.empty() ? "" : told[0];
  if (what == "build" && told.size() == 4)
    return build(told[1], told[2], static_cast<unsigned>(std::atoi(told[3].c_str())));
  if (what == "read" && told.size() == 2) return read(told[1]);
  if (what == "open" && told.size() == 2) return open(told[1]);
  if (what == "ask" && told.size() == 3)
    return ask(told[1], static_cast<unsigned>(std::atoi(told[2].c_str())));
  if (what == "calls" && told.size() == 2) return calls(told[1]);
  fmt::print(stderr, "usage: index build|read|open|ask|calls FILE...\n");
  return 2;
}
