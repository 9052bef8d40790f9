// SPDX-License-Identifier: Apache-2.0
// CPU time of reading a trace to event batches, and of writing these in another format to nowhere:
// what the rooms of formats cost, without a command around them.
// usage: bench_formats_load FILE FORMAT|- RUNS
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "format/format.hpp"

namespace {

namespace base = polytrace::base;
namespace event = polytrace::event;
namespace format = polytrace::format;

class Nowhere final : public base::Sink {
 public:
  base::result<void> write(base::Bytes bytes) override {
    asm volatile("" : : "r"(bytes.data()) : "memory");
    return {};
  }
  base::result<void> commit() override { return {}; }
};

double cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::unique_ptr<event::Writer> writer_of(const std::string& name) {
  const format::Format* const target = format::find_format(name);
  if (target == nullptr || target->create == nullptr) return nullptr;
  auto made = target->create(std::make_unique<Nowhere>(), {});
  return made ? std::move(*made) : nullptr;
}

}  // namespace

// By this name a profiler leaves out the rest. Gives the events, 0 where something failed.
extern "C" [[gnu::noinline]] std::uint64_t bench_whole_trace(const char* path, const char* to) {
  auto source = base::open_source(path);
  if (!source) return 0;
  auto opened = format::open(std::move(*source));
  if (!opened) return 0;
  const bool writes = to != std::string_view("-");
  const auto writer = writes ? writer_of(to) : nullptr;
  if (writes && writer == nullptr) return 0;
  event::Batch batch;
  std::uint64_t events = 0;
  for (;;) {
    const auto more = opened->reader->next(batch);
    if (!more) return 0;
    if (!*more) break;
    events += batch.events.size();
    if (writes && !writer->write(batch)) return 0;
  }
  return writes && !writer->finish() ? 0 : events;
}

int main(int count, char** words) {
  if (count != 4) return fmt::print(stderr, "usage: formats_load FILE FORMAT|- RUNS\n"), 2;
  std::vector<double> seconds;
  std::uint64_t events = 0;
  for (int i = 0; i < std::max(1, std::atoi(words[3])); ++i) {
    const double begun = cpu_seconds();
    events = bench_whole_trace(words[1], words[2]);
    seconds.push_back(cpu_seconds() - begun);
    if (events == 0) return fmt::print(stderr, "cannot read or write {}\n", words[1]), 1;
  }
  std::ranges::sort(seconds);
  fmt::print("{{\"events\": {}, \"ns\": {:.2f}}}\n", events,
             seconds[seconds.size() / 2] * 1e9 / static_cast<double>(events));
}
