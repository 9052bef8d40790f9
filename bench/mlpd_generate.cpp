// SPDX-License-Identifier: Apache-2.0
// Writes large deterministic `.mlpd` recordings for the benchmarks, with the product's own writer:
//   mlpd_generate calls|deep|alloc|heap MILLIONS OUTPUT
// calls: a shallow loop of calls; deep: deep, varied stacks; alloc: allocations with backtraces;
// heap: nine heap snapshots with references. MILLIONS counts events (heap: objects).
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "base/sink.hpp"
#include "format/mlpd/mlpd.hpp"

namespace {

using polytrace::base::Id;
using polytrace::base::Time;
using polytrace::event::Batch;
using polytrace::event::Kind;
namespace event = polytrace::event;

constexpr Id kThread = 0x7f0000001000;
constexpr Id kImage = 0x7f0000100000;
constexpr std::size_t kBatchEvents = 16 * 1024;

// xorshift64*: deterministic on every machine, and cheap beside the writer.
class Random {
 public:
  std::uint64_t below(std::uint64_t bound) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return (state_ * 0x2545F4914F6CDD1DU >> 32) % bound;
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15U;
};

class Recording {
 public:
  explicit Recording(event::Writer& writer) : writer_(writer) {}

  void start(unsigned methods, unsigned classes) {
    begin_batch();
    event::Process process;
    process.pointer_size = 8;
    process.options = "log:generated";
    process.architecture = "x86-64";
    process.os = "linux";
    batch_.add(now_, slot_, 4200, process);
    batch_.add(now_, slot_, polytrace::base::kNoId,
               event::Clock{.wall = 1'700'000'000'000'000'000});
    batch_.add(now_, slot_, kThread, event::Thread{.life = event::Life::begin});
    batch_.add(now_, slot_, kThread, event::Thread{.life = event::Life::name, .name = "Main"});
    batch_.add(now_, slot_, kImage, event::Module{.name = "generated.exe"});
    for (unsigned i = 0; i < methods; ++i) define_method(i);
    for (unsigned i = 0; i < classes; ++i) define_class(i);
  }
  bool finish() {
    batch_.add(now_, slot_, kThread, event::Thread{.life = event::Life::end});
    flush();
    return ok_ && writer_.finish().has_value();
  }

  // Runtime structures of one kind lie a few hundred bytes apart.
  static Id method(std::uint64_t i) { return 0x559474200000 + i * 264; }
  static Id class_id(std::uint64_t i) { return 0x7f0000200000 + i * 400; }
  static Id vtable(std::uint64_t i) { return 0x7f0000800000 + i * 176; }

  Batch& batch() { return batch_; }
  std::uint16_t slot() const { return slot_; }
  Time pass(std::uint64_t nanoseconds) { return now_ += static_cast<Time>(nanoseconds); }
  void full_check() {
    if (batch_.events.size() >= kBatchEvents) flush();
  }

 private:
  void begin_batch() {
    batch_.clear();
    slot_ = batch_.thread_slot(kThread);
  }
  void flush() {
    if (!writer_.write(batch_)) ok_ = false;
    begin_batch();
  }
  void define_method(unsigned i) {
    const auto name = fmt::format("Work.Type{}:Method{} (int,string)", i / 16, i);
    event::Method details;
    details.name = batch_.keep(name);
    details.code = 0x40000000 + Id{i} * 512;
    details.code_size = 300;
    batch_.add(pass(100), slot_, method(i), details);
  }
  void define_class(unsigned i) {
    event::Class details;
    details.name = batch_.keep(fmt::format("Work.Data{}", i));
    details.module = kImage;
    batch_.add(pass(100), slot_, class_id(i), details);
    batch_.add(pass(100), slot_, vtable(i), event::Vtable{.domain = 1, .class_id = class_id(i)});
  }

  event::Writer& writer_;
  Batch batch_;
  std::uint16_t slot_ = 0;
  Time now_ = 3'000'000'000'000;
  bool ok_ = true;
};

// Enters and leaves along a random walk whose depth stays between 1 and `depth`; `spread` says how
// far apart a caller's callees lie.
void walk(Recording& out, std::uint64_t events, std::size_t depth, unsigned methods,
          unsigned spread) {
  Random random;
  std::vector<Id> stack;
  std::uint64_t current = 0;
  for (std::uint64_t done = 0; done + stack.size() < events; ++done) {
    const bool enter = stack.size() < 2 || (stack.size() < depth && random.below(2) == 0);
    if (enter) {
      // One call in eight leaves the beaten path: stacks vary, yet the same ones come again.
      const std::uint64_t callee = random.below(8) == 0 ? random.below(spread) : 0;
      current = (current * 7 + callee) % methods;
      stack.push_back(current);
    }
    const Id method = Recording::method(stack.back());
    out.batch().add_plain(out.pass(20 + random.below(180)), out.slot(), method,
                          enter ? Kind::Enter : Kind::Leave);
    if (!enter) {
      stack.pop_back();
      current = stack.empty() ? 0 : stack.back();
    }
    out.full_check();
  }
  while (!stack.empty()) {
    out.batch().add_plain(out.pass(50), out.slot(), Recording::method(stack.back()), Kind::Leave);
    stack.pop_back();
  }
}

// A loop of small functions, with the regularity and the clock steps of a real recording of one: a
// call costs some 150 ns under the profiler, so most time differences take two bytes.
void calls(Recording& out, std::uint64_t events) {
  constexpr unsigned kMethods = 8;
  static constexpr int kLoop[]{1, -1, 2, 3, -1, 3,  -1, -1,
                               4, -1, 5, 6, 7,  -1, -1, -1};  // -1 leaves
  out.start(kMethods, 0);
  Random random;
  std::vector<std::uint64_t> stack;
  for (std::uint64_t done = 0; done < events; ++done) {
    const int step = kLoop[done % std::size(kLoop)];
    if (step >= 0) stack.push_back(static_cast<std::uint64_t>(step));
    out.batch().add_plain(out.pass(135 + random.below(40)), out.slot(),
                          Recording::method(stack.back()), step >= 0 ? Kind::Enter : Kind::Leave);
    if (step < 0) stack.pop_back();
    out.full_check();
  }
  for (; !stack.empty(); stack.pop_back()) {
    const Id method = Recording::method(stack.back());
    out.batch().add_plain(out.pass(150), out.slot(), method, Kind::Leave);
  }
}

void deep(Recording& out, std::uint64_t events) {
  out.start(4000, 0);
  walk(out, events, 120, 4000, 5);
}

void alloc(Recording& out, std::uint64_t events) {
  constexpr unsigned kMethods = 400;
  constexpr unsigned kClasses = 200;
  out.start(kMethods, kClasses);
  Random random;
  Id object = 0x7f4b60000000;
  for (std::uint64_t i = 0; i < events; ++i) {
    Batch& batch = out.batch();
    event::Alloc details;
    details.object = object += 8 * (3 + random.below(6));
    details.size = 8 * (2 + random.below(20));
    details.stack.first = static_cast<event::u32>(batch.frames.size());
    details.stack.count = static_cast<event::u32>(4 + random.below(5));
    // Sites repeat: a few thousand different stacks, as a real program has.
    std::uint64_t frame = random.below(8) * random.below(8);
    for (event::u32 depth = 0; depth < details.stack.count; ++depth) {
      frame = (frame * 3 + depth) % kMethods;
      batch.frames.push_back(Recording::method(frame));
    }
    batch.add(out.pass(100 + random.below(400)), out.slot(), Recording::vtable(frame % kClasses),
              details);
    out.full_check();
  }
}

void dump(Recording& out, Random& random, std::uint64_t objects) {
  constexpr Id kHeap = 0x7f4b60000000;
  constexpr unsigned kObjectBytes = 32;
  const auto mark = [&out](event::DumpStage stage) {
    out.batch().add(out.pass(1000), out.slot(), polytrace::base::kNoId, event::Dump{stage, {}});
  };
  mark(event::DumpStage::start);
  for (std::uint64_t i = 0; i < objects; ++i) {
    Batch& batch = out.batch();
    auto& refs = batch.column<event::Ref>();
    event::DumpObject object;
    object.class_id = Recording::vtable(random.below(120));
    object.size = kObjectBytes;
    object.generation = 1;
    object.refs.first = static_cast<event::u32>(refs.size());
    object.refs.count = static_cast<event::u32>(random.below(4));
    for (event::u32 ref = 0; ref < object.refs.count; ++ref) {
      const std::uint64_t near = (i + random.below(2000)) % objects;
      refs.push_back({kHeap + near * kObjectBytes, 16 + 8 * ref});
    }
    batch.add(out.pass(10), out.slot(), kHeap + i * kObjectBytes, object);
    out.full_check();
  }
  mark(event::DumpStage::end);
}

void heap(Recording& out, std::uint64_t objects) {
  constexpr std::uint64_t kSnapshots = 9;
  out.start(10, 120);
  Random random;
  // Growing, so that the report has something to say.
  for (std::uint64_t i = 1; i <= kSnapshots; ++i)
    dump(out, random, objects * i * 2 / (kSnapshots * (kSnapshots + 1)));
}

int run(std::string_view shape, std::uint64_t count, const char* path) {
  auto sink = polytrace::base::create_sink(path, true);
  if (!sink) return fmt::print(stderr, "{}\n", polytrace::base::to_text(sink.error())), 1;
  auto writer = polytrace::format::mlpd::kFormat.create(std::move(*sink), {});
  Recording out(**writer);
  if (shape == "calls") calls(out, count);
  else if (shape == "deep") deep(out, count);
  else if (shape == "alloc") alloc(out, count);
  else if (shape == "heap") heap(out, count);
  else return fmt::print(stderr, "unknown shape {}\n", shape), 2;
  return out.finish() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return fmt::print(stderr, "usage: mlpd_generate SHAPE MILLIONS OUTPUT\n"), 2;
  constexpr double kMillion = 1e6;
  return run(words[1], static_cast<std::uint64_t>(std::strtod(words[2], nullptr) * kMillion),
             words[3]);
}
