// SPDX-License-Identifier: Apache-2.0
// bench_heap_graph             dominators and retained sizes of a heap of 6.7 million objects: CPU
//                              seconds and the most memory beside the graph, as JSON
// bench_heap_graph FILE        writes the same heap as an HPROF dump
// The heap is of a program's kind: records with parts of their own, lists, and some references to
// anywhere.
#include <fmt/format.h>
#include <malloc.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "analysis/heap/graph/dominators.hpp"

namespace {

using namespace polytrace;

constexpr std::uint64_t kObjects = 6'700'000;
constexpr std::uint64_t kMostReferences = 4;

// Deterministic and good enough to scatter references.
std::uint64_t scramble(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdU;
  return x ^ (x >> 29);
}

base::Id id_of(std::uint64_t object) { return 0x100000 + object * 48; }

// Two on average: the next few objects, and one in ten anywhere.
std::size_t references_of(std::uint64_t object, std::array<event::Ref, kMostReferences>& out) {
  const std::size_t count = (scramble(object + 1) >> 7) % (kMostReferences + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t random = scramble(object * 8 + i);
    const std::uint64_t target =
        random % 10 == 0 ? scramble(random) % kObjects : object + 1 + random % 64;
    out[i] = {id_of(target % kObjects), i * 8};
  }
  return count;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// A figure of /proc/self/status in bytes, 0 if it is not told.
std::uint64_t status(std::string_view name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return std::stoull(line.substr(name.size())) * 1024;
  return 0;
}

// From now on, the most memory counts anew.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

int measure() {
  analysis::HeapGraphBuilder builder;
  std::array<event::Ref, kMostReferences> references;
  const double start = cpu_seconds();
  for (std::uint64_t i = 0; i < kObjects; ++i) {
    const std::size_t count = references_of(i, references);
    builder.add(id_of(i), static_cast<std::uint32_t>(count), 16 + 8 * count,
                std::span(references).first(count));
    if (i % 5000 == 0) builder.add_root(id_of(i), "root");
  }
  const analysis::HeapGraph graph = builder.finish();
  const double built = cpu_seconds();
  malloc_trim(0);
  forget_peak();
  const std::uint64_t before = status("VmRSS:");
  const double begin = cpu_seconds();
  const auto dominators = analysis::Dominators::of(graph);
  const double end = cpu_seconds();
  fmt::print(R"({{"objects": {}, "references": {}, "reached": {}, "graph_seconds": {:.3f}, )"
             R"("graph_bytes": {}, "dominator_seconds": {:.3f}, "dominator_bytes": {}}})"
             "\n",
             graph.objects(), graph.reference_count(), dominators.reached_objects(), built - start,
             graph.memory(), end - begin, status("VmHWM:") - before);
  return 0;
}

class Dump {
 public:
  explicit Dump(const char* path) : file_(std::fopen(path, "wb")) {}
  ~Dump() {
    if (file_ != nullptr) std::fclose(file_);
  }
  Dump(const Dump&) = delete;
  Dump& operator=(const Dump&) = delete;
  bool good() const { return file_ != nullptr; }

  template <class T>
  void put(T value) {
    for (std::size_t i = sizeof(T); i-- != 0;) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void put_id(base::Id id) { put<std::uint64_t>(id); }
  void put_text(std::string_view text) { bytes_ += text; }
  // What was put becomes a record.
  void record(std::uint8_t tag) {
    std::string body = std::move(bytes_);
    bytes_.clear();
    put(tag);
    put<std::uint32_t>(0);
    put(static_cast<std::uint32_t>(body.size()));
    raw(bytes_);
    raw(body);
    bytes_.clear();
  }
  void raw(std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), file_); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::FILE* file_;
  std::string bytes_;
};

void put_class(Dump& dump, base::Id id, std::uint64_t references) {
  dump.put<std::uint8_t>(0x20);
  dump.put_id(id);
  dump.put<std::uint32_t>(0);
  dump.put_id(id == 1 ? 0 : 1);
  for (int i = 0; i < 5; ++i) dump.put_id(0);
  dump.put<std::uint32_t>(0);
  dump.put<std::uint16_t>(0);
  dump.put<std::uint16_t>(0);
  dump.put(static_cast<std::uint16_t>(references));
  for (std::uint64_t i = 0; i < references; ++i) dump.put_id(100), dump.put<std::uint8_t>(2);
}

void put_object(Dump& dump, std::uint64_t object) {
  std::array<event::Ref, kMostReferences> references;
  const std::size_t count = references_of(object, references);
  dump.put<std::uint8_t>(0x21);
  dump.put_id(id_of(object));
  dump.put<std::uint32_t>(0);
  dump.put_id(2 + count);
  dump.put(static_cast<std::uint32_t>(count * 8));
  for (std::size_t i = 0; i < count; ++i) dump.put_id(references[i].target);
}

int write(const char* path) {
  constexpr std::size_t kSegment = std::size_t{1} << 20;
  Dump dump(path);
  if (!dump.good()) return 1;
  dump.raw(std::string_view("JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\0\0\0\0\0\0", 31));
  for (base::Id id = 1; id <= 2 + kMostReferences; ++id) {
    dump.put_id(100 + id);
    dump.put_text(id == 1 ? std::string("java/lang/Object") : fmt::format("Of{}", id - 2));
    dump.record(0x01);
    dump.put(static_cast<std::uint32_t>(id));
    dump.put_id(id);
    dump.put<std::uint32_t>(0);
    dump.put_id(100 + id);
    dump.record(0x02);
  }
  for (base::Id id = 1; id <= 2 + kMostReferences; ++id) put_class(dump, id, id == 1 ? 0 : id - 2);
  for (std::uint64_t i = 0; i < kObjects; ++i) {
    if (i % 5000 == 0) dump.put<std::uint8_t>(0xff), dump.put_id(id_of(i));
    put_object(dump, i);
    if (dump.size() > kSegment) dump.record(0x1c);
  }
  dump.record(0x1c);
  dump.record(0x2c);
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return count > 1 ? write(arguments[1]) : measure(); }
