// SPDX-License-Identifier: Apache-2.0
// An index of a trace that nobody has to read: it is made while it is indexed, by a rule that gives
// the figures of any stretch of time, too.
//   index_huge INDEX MILLIONS ENCODERS
// Prints "name value" lines; "wrong answers" has to be 0.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <random>
#include <string>

#include "store/store.hpp"

namespace {

namespace base = polytrace::base;
namespace event = polytrace::event;
namespace store = polytrace::store;
using base::Time;

constexpr std::uint64_t kThreads = 8;
constexpr Time kRound = 1000;          // ns
constexpr std::uint64_t kTurn = 4096;  // rounds that a thread tells in a row

// A call of each round of a thread: its method is one of `kinds` in turn.
struct Step {
  Time start, end;
  base::Id first;
  std::uint64_t kinds;
  Time self;

  base::Id method(std::uint64_t round) const { return first + round % kinds; }
};
constexpr std::array kSteps{Step{0, 900, 1, 50, 710}, Step{10, 200, 100, 7, 60},
                            Step{30, 70, 200, 1, 40}, Step{80, 170, 300, 11, 90}};
// The same as events: which step, and whether it is entered.
constexpr std::array<std::pair<std::size_t, bool>, 8> kEvents{
    {{0, true}, {1, true}, {2, true}, {2, false}, {3, true}, {3, false}, {1, false}, {0, false}}};

Time begin_of(std::uint64_t thread, std::uint64_t round) {
  return 5'000'000 + static_cast<Time>(thread) * 37 + static_cast<Time>(round) * kRound;
}

class Rounds final : public event::Reader {
 public:
  explicit Rounds(std::uint64_t turns) : turns_(turns), source_(base::memory_source({})) {}

  std::string version() const override { return "1"; }
  base::result<bool> fetch(event::Chunk& chunk) override {
    if (next_ == turns_ * kThreads) return false;
    chunk.sequence = next_++;
    return true;
  }
  void decode(const event::Chunk& chunk, event::Batch& batch) const override {
    batch.clear();
    const std::uint64_t thread = chunk.sequence % kThreads, turn = chunk.sequence / kThreads;
    batch.offset = chunk.sequence * kTurn * kEvents.size();
    const auto slot = batch.thread_slot(70 + thread);
    for (std::uint64_t round = turn * kTurn; round < (turn + 1) * kTurn; ++round) {
      const Time begin = begin_of(thread, round);
      for (const auto& [at, enters] : kEvents) {
        const Step& step = kSteps[at];
        batch.add_plain(begin + (enters ? step.start : step.end), slot, step.method(round),
                        enters ? event::Kind::Enter : event::Kind::Leave);
      }
    }
  }
  const base::Notices& notices() const override { return notices_; }
  const base::Source& source() const override { return *source_; }

 private:
  std::uint64_t turns_;
  std::unique_ptr<base::Source> source_;
  base::Notices notices_;
  std::uint64_t next_ = 0;
};

struct Figures {
  std::uint64_t calls = 0, total = 0, self = 0;
  bool operator==(const Figures&) const = default;
};
using ByMethod = std::map<base::Id, Figures>;

std::uint64_t clipped(Time start, Time end, Time from, Time to) {
  start = std::max(start, from);
  end = std::min(end, to);
  return start < end ? static_cast<std::uint64_t>(end - start) : 0;
}

// What one round of a thread has of [from, to).
void add_round(std::uint64_t thread, std::uint64_t round, Time from, Time to, ByMethod& sums) {
  const Time begin = begin_of(thread, round);
  const auto total = [&](const Step& step) {
    return clipped(begin + step.start, begin + step.end, from, to);
  };
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    const Step& step = kSteps[i];
    if (begin + step.start >= to || begin + step.end < from) continue;
    Figures& figures = sums[step.method(round)];
    ++figures.calls;
    figures.total += total(step);
    figures.self += total(step);
    if (i == 0) figures.self -= total(kSteps[1]);
    if (i == 1) figures.self -= total(kSteps[2]) + total(kSteps[3]);
  }
}

// Of rounds [begin, end), which all are whole.
void add_whole(std::uint64_t begin, std::uint64_t end, ByMethod& sums) {
  for (const Step& step : kSteps) {
    for (std::uint64_t kind = 0; kind < step.kinds; ++kind) {
      const auto upto = [&](std::uint64_t rounds) {
        return rounds / step.kinds + (rounds % step.kinds > kind ? 1 : 0);
      };
      const std::uint64_t count = upto(end) - upto(begin);
      if (count == 0) continue;
      Figures& figures = sums[step.first + kind];
      figures.calls += count;
      figures.total += count * static_cast<std::uint64_t>(step.end - step.start);
      figures.self += count * static_cast<std::uint64_t>(step.self);
    }
  }
}

ByMethod expected(std::uint64_t rounds, Time from, Time to) {
  ByMethod sums;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    const Time since = begin_of(thread, 0);
    const auto round_of = [&](Time time) {
      return std::min(time <= since ? 0 : static_cast<std::uint64_t>((time - since) / kRound),
                      rounds);
    };
    const std::uint64_t first = round_of(from), last = round_of(to);
    const std::uint64_t begin = std::min(first + 1, rounds), end = std::max(begin, last);
    add_whole(begin, end, sums);
    for (std::uint64_t round = first; round < begin; ++round)
      add_round(thread, round, from, to, sums);
    if (end < rounds) add_round(thread, end, from, to, sums);
  }
  return sums;
}

[[noreturn]] void fail(const base::Error& error) {
  fmt::print(stderr, "{}\n", base::to_text(error));
  std::exit(1);
}

template <class Value>
Value must(base::result<Value> value) {
  if (!value) fail(value.error());
  if constexpr (!std::is_void_v<Value>) return std::move(*value);
}

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void tell(const char* name, double value) { fmt::print("{} {:.6g}\n", name, value); }

void tell_times(const std::string& name, std::vector<double> values) {
  std::ranges::sort(values);
  tell((name + " median ms").c_str(), values[values.size() / 2] * 1000);
  tell((name + " p95 ms").c_str(), values[values.size() * 95 / 100] * 1000);
}

// Asks and compares.
class Questions {
 public:
  Questions(const store::Store& store, std::uint64_t rounds) : store_(store), rounds_(rounds) {}

  void ask(int count) {
    const store::Totals totals = store_.facts().totals;
    std::uniform_int_distribution<Time> moment(totals.first - 100, totals.last + 100);
    for (int i = 0; i < count; ++i) {
      Time from = moment(random_), to = moment(random_);
      if (from > to) std::swap(from, to);
      ask_methods(from, to);
      ask_pictures(from, to);
    }
  }
  void tell_all() const {
    tell("wrong answers", wrong_);
    tell_times("methods of a range", ranges_);
    tell_times("500 buckets of a thread", pictures_);
    tell_times("500 buckets of activity", series_);
  }

 private:
  void ask_methods(Time from, Time to) {
    const double began = seconds(CLOCK_MONOTONIC);
    store::Range range;
    range.from = from;
    range.to = to;
    const auto methods = must(store_.calls(range)).methods(store_.paths());
    ranges_.push_back(seconds(CLOCK_MONOTONIC) - began);
    ByMethod told;
    for (const store::MethodSum& sum : methods)
      told[store_.entities().of(store::EntitySort::method, sum.method).id] = {sum.calls, sum.total,
                                                                              sum.self};
    ByMethod right = expected(rounds_, from, to);
    std::erase_if(right, [](const auto& one) { return one.second == Figures{}; });
    wrong_ += told == right ? 0 : 1;
  }
  // Each call once, and all time in calls: at a level at which the stretch is 500 buckets.
  void ask_pictures(Time from, Time to) {
    unsigned level = 0;
    while (((to - from) >> level) > 500) ++level;
    const Time origin = store_.facts().totals.origin;
    const std::int64_t first = (from - origin) >> level, end = first + 500;
    const Time start = origin + first * (Time{1} << level),
               stop = origin + end * (Time{1} << level);
    std::uint64_t begun = 0, in_calls = 0;
    for (const auto& [method, figures] : expected(rounds_, start, stop))
      in_calls += method < kSteps[1].first ? figures.total : 0;
    double began = seconds(CLOCK_MONOTONIC);
    must(store_.zoom({.thread = 3, .level = level, .first_bucket = first, .end_bucket = end},
                     [&](const store::ZoomItem& item) { begun += item.count; }));
    pictures_.push_back(seconds(CLOCK_MONOTONIC) - began);
    began = seconds(CLOCK_MONOTONIC);
    std::uint64_t time = 0, calls = 0;
    store::Buckets asked;
    asked.level = level;
    asked.first = first;
    asked.end = end;
    must(
        store_.activity(asked, [&](const store::ActivityPoint& point) { time += point.in_calls; }));
    asked.threads = {3};
    must(store_.activity(asked, [&](const store::ActivityPoint& point) { calls += point.calls; }));
    series_.push_back(seconds(CLOCK_MONOTONIC) - began);
    wrong_ += time == in_calls && calls == begun && begun == entered(3, start, stop) ? 0 : 1;
  }
  // Calls of a thread that begin in a stretch.
  std::uint64_t entered(std::uint64_t index, Time start, Time stop) const {
    const base::Id id = store_.entities().of(store::EntitySort::thread, index).id;
    std::uint64_t count = 0;
    for (const Step& step : kSteps) {
      const auto before = [&](Time time) {
        const Time since = time - begin_of(id - 70, 0) - step.start;
        if (since <= 0) return std::uint64_t{0};
        return std::min(rounds_, static_cast<std::uint64_t>((since + kRound - 1) / kRound));
      };
      count += before(stop) - before(start);
    }
    return count;
  }

  const store::Store& store_;
  std::uint64_t rounds_;
  std::mt19937_64 random_{1};
  std::vector<double> ranges_, pictures_, series_;
  double wrong_ = 0;
};

int run(const std::string& index, double millions, unsigned encoders) {
  const auto events_of_turn = static_cast<double>(kTurn * kEvents.size() * kThreads);
  const auto turns =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(millions * 1e6 / events_of_turn));
  Rounds rounds(turns);
  store::IndexJob job{.path = index, .format = "bench"};
  job.build.encoders = encoders;
  job.pump.workers = 1 + encoders;
  const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
  must(store::build_index(rounds, job));
  tell("cpu", seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
  tell("wall", seconds(CLOCK_MONOTONIC) - wall);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  tell("mebibytes", static_cast<double>(usage.ru_maxrss) / 1024);
  const double began = seconds(CLOCK_MONOTONIC);
  const auto made = must(store::Store::open(index));
  tell("open ms", (seconds(CLOCK_MONOTONIC) - began) * 1000);
  tell("events", static_cast<double>(made->facts().totals.events));
  tell("bytes", static_cast<double>(std::filesystem::file_size(index)));
  Questions questions(*made, turns * kTurn);
  questions.ask(200);
  questions.tell_all();
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 4)
    return run(words[1], std::atof(words[2]), static_cast<unsigned>(std::atoi(words[3])));
  fmt::print(stderr, "usage: index_huge INDEX MILLIONS ENCODERS\n");
  return 2;
}
