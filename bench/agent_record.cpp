// SPDX-License-Identifier: Apache-2.0
// What recording a method's entry and exit costs the thread that does it, beside a loop that only
// reads the time stamp counter, in the same run, with the writer writing to a file.
//
//   bench_agent_record OUTPUT [RUNS [MILLIONS [CLOCK]]]
//
// OUTPUT is a file, made anew for each run and removed. Nanoseconds are CPU time of the threads.
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "agent/common/record/recorder.hpp"

namespace {

using namespace polytrace;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// Nanoseconds of CPU per turn; `turns` of them.
template <class Turn>
double time_of(std::uint64_t turns, const Turn& turn) {
  const double begin = thread_seconds();
  for (std::uint64_t i = 0; i < turns; ++i) turn(i);
  return (thread_seconds() - begin) * 1e9 / static_cast<double>(turns);
}

double bare(std::uint64_t events) {
  return time_of(events, [](std::uint64_t) {
    const std::uint64_t ticks = agent::read_counter();
    asm volatile("" : : "r"(ticks));
  });
}

// As a probe does it: a call that nothing can see into, with the method's number.
[[gnu::noinline]] void probe_enter(std::uint32_t method) { agent::enter(method); }
[[gnu::noinline]] void probe_leave(std::uint32_t method) { agent::leave(method); }

double recorded(std::uint64_t events) {
  return time_of(events / 2,
                 [](std::uint64_t i) {
                   const auto method = static_cast<std::uint32_t>(1 + i % 1'000);
                   probe_enter(method);
                   probe_leave(method);
                 }) /
         2;
}

struct Run {
  double bare = 0;
  double recorded = 0;
  double bytes_per_event = 0;
  double writer = 0;  // nanoseconds per event
  std::uint64_t stalls = 0;
};

double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// All threads do both, one after the other.
Run run(const std::string& file, const char* clock, unsigned threads, std::uint64_t events) {
  agent::Faults faults;
  agent::Options options = agent::parse_options(std::string("clock=") + clock, faults);
  options.file = file;
  unlink(file.c_str());
  if (!agent::Recorder::the().start(options, faults)) {
    for (const std::string& fault : faults) fmt::print(stderr, "{}\n", fault);
    std::exit(1);
  }
  std::vector<double> bares(threads);
  std::vector<double> records(threads);
  const double begin = process_seconds();
  std::vector<std::thread> all;
  for (unsigned i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      bares[i] = bare(events / 4);
      recorded(events / 20);  // segments of the largest size
      records[i] = recorded(events);
      bares[i] = std::min(bares[i], bare(events / 4));
    });
  for (std::thread& thread : all) thread.join();
  const std::uint64_t stalls = agent::Recorder::the().status().stalls;
  agent::Recorder::the().stop(60'000'000'000);
  const auto count = static_cast<double>(agent::Recorder::the().status().events);
  Run result{median(bares), median(records),
             static_cast<double>(agent::Recorder::the().status().bytes) / count, 0, stalls};
  const double own =
      (result.bare * 0.5 + result.recorded * 1.05) * 1e-9 * static_cast<double>(events) * threads;
  result.writer = (process_seconds() - begin - own) * 1e9 / count;
  unlink(file.c_str());
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int runs = argc > 2 ? std::atoi(argv[2]) : 5;
  const std::uint64_t events = (argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 40) * 1'000'000;
  const char* const clock = argc > 4 ? argv[4] : "auto";
  fmt::print(
      "          --- medians ---           best\n"
      "threads  rdtsc ns  event ns  ratio  ratio  bytes/event  writer ns/event  stalls\n");
  for (const unsigned threads : {1U, 2U}) {
    std::vector<double> bares, records, ratios, bytes, writer;
    std::uint64_t stalls = 0;
    for (int i = 0; i < runs; ++i) {
      const Run one = run(argv[1], clock, threads, events);
      bares.push_back(one.bare);
      records.push_back(one.recorded);
      ratios.push_back(one.recorded / one.bare);
      bytes.push_back(one.bytes_per_event);
      writer.push_back(one.writer);
      stalls += one.stalls;
    }
    fmt::print("{:7}  {:8.2f}  {:8.2f}  {:5.2f}  {:5.2f}  {:11.2f}  {:15.2f}  {:6}\n", threads,
               median(bares), median(records), median(ratios),
               *std::min_element(records.begin(), records.end()) /
                   *std::min_element(bares.begin(), bares.end()),
               median(bytes), median(writer), stalls);
  }
  return 0;
}
