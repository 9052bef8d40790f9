// SPDX-License-Identifier: Apache-2.0
// How long the heap analysis takes for nine snapshots of growing, scattered object graphs, and
// the most memory it had. Only consume() and finish() are timed: batches are made beforehand, one
// set for all snapshots.
#include <fmt/format.h>
#include <sys/resource.h>

#include <ctime>
#include <vector>

#include "analysis/sections.hpp"
#include "slice/slicer.hpp"

namespace {

using namespace polytrace;

constexpr unsigned kSnapshots = 9;
constexpr std::uint64_t kObjects = 1'340'000;  // in each
constexpr std::uint64_t kClasses = 300;
constexpr std::uint64_t kPerBatch = 20'000;

// Deterministic and good enough to scatter references.
std::uint64_t scramble(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdU;
  return x ^ (x >> 29);
}

// Objects of 24 to 80 bytes, 40 on average with what lies between them.
base::Id address_of(std::uint64_t object) { return 0x7f0000000000U + object * 48; }

void add_object(event::Batch& batch, std::uint16_t thread, std::uint64_t object) {
  auto& refs = batch.column<event::Ref>();
  event::DumpObject dump;
  dump.class_id = 0x1000 + scramble(object) % kClasses * 8;
  dump.size = 24 + scramble(object + 7) % 8 * 8;
  dump.refs.first = static_cast<std::uint32_t>(refs.size());
  dump.refs.count = static_cast<std::uint32_t>(scramble(object + 1) % 4 + object % 2);
  for (std::uint32_t i = 0; i < dump.refs.count; ++i) {
    const std::uint64_t random = scramble(object * 8 + i);
    const std::uint64_t near = object + random % 64;
    const std::uint64_t target = random % 3 == 0 ? scramble(random) % kObjects : near;
    refs.push_back({address_of(target % kObjects), 8 * i});
  }
  batch.add(1, thread, address_of(object), dump);
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void add_dump(event::Batch& batch, event::DumpStage stage) {
  batch.add(1, batch.thread_slot(1), 0, event::Dump{stage, {}});
}

}  // namespace

int main() {
  const auto analysis = analysis::make_heap({});
  slice::Slicer slicer;
  event::Batch batch;
  double spent = 0;
  std::uint64_t references = 0;
  const long before = peak_kib();
  const auto feed = [&] {
    slicer.slice(batch, [&](const slice::Slice& slice) {
      const double start = cpu_seconds();
      analysis->consume(slice);
      spent += cpu_seconds() - start;
    });
    references += batch.column<event::Ref>().size();
    batch.clear();
  };
  for (unsigned snapshot = 0; snapshot < kSnapshots; ++snapshot) {
    add_dump(batch, event::DumpStage::start);
    for (std::uint64_t object = 0; object < kObjects; ++object) {
      if (batch.events.size() >= kPerBatch) feed();
      add_object(batch, batch.thread_slot(1), object);
    }
    add_dump(batch, event::DumpStage::end);
    feed();
  }
  const double start = cpu_seconds();
  analysis->finish(slicer.names());
  spent += cpu_seconds() - start;
  fmt::print("heap: {} snapshots, {} objects, {} references: {:.3f} s CPU, {} KiB more memory\n",
             kSnapshots, kSnapshots * kObjects, references, spent, peak_kib() - before);
  for (const auto& line : analysis->headlines(slicer.names())) fmt::print("  {}\n", line);
}
