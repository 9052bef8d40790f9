// SPDX-License-Identifier: Apache-2.0
// Writes large deterministic `.mlpd` recordings for the benchmarks, with the product's own writer:
//   mlpd_generate calls|deep|objects MILLIONS OUTPUT
// calls: a shallow loop of calls; deep: deep, varied stacks; objects: allocations with backtraces
// and nine heap snapshots with references. MILLIONS counts calls or allocations.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "base/io/sink.hpp"
#include "format/format.hpp"

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

// A program that walks through its functions and allocates in them, with a heap snapshot after each
// ninth of its objects. All of them stay alive.
class Allocator {
 public:
  explicit Allocator(Recording& out) : out_(out) { out.start(kMethods, kClasses); }

  void allocate() {
    step();
    Batch& batch = out_.batch();
    event::Alloc details;
    details.object = address(objects_++);
    details.size = kObjectBytes;
    details.stack.first = static_cast<event::u32>(batch.frames.size());
    details.stack.count = static_cast<event::u32>(stack_.size());
    for (const std::uint64_t method : stack_) batch.frames.push_back(Recording::method(method));
    batch.add(out_.pass(100 + random_.below(400)), out_.slot(), some_class(), details);
    out_.full_check();
  }
  void dump() {
    mark(event::DumpStage::start);
    for (std::uint64_t i = 0; i < objects_; ++i) dump_object(i);
    mark(event::DumpStage::end);
  }

 private:
  static constexpr unsigned kMethods = 400;
  static constexpr unsigned kClasses = 300;
  static constexpr std::uint64_t kDeepest = 16;
  static constexpr std::uint64_t kObjectBytes = 32;
  static Id address(std::uint64_t object) { return 0x7f4b60000000 + object * kObjectBytes; }

  // Few functions and classes are popular, many are rare.
  Id some_class() {
    return Recording::vtable(random_.below(kClasses) * random_.below(kClasses) / kClasses);
  }
  // To a caller or a callee; three in four calls go the usual way.
  void step() {
    if (stack_.size() > 4 && random_.below(2) == 0) {
      stack_.pop_back();
    } else if (stack_.size() < kDeepest) {
      const std::uint64_t way = random_.below(4) == 0 ? random_.below(4) : 0;
      stack_.push_back(((stack_.empty() ? 0 : stack_.back()) * 5 + 1 + way) % kMethods);
    }
  }
  void mark(event::DumpStage stage) {
    out_.batch().add(out_.pass(1000), out_.slot(), polytrace::base::kNoId, event::Dump{stage, {}});
  }
  // Most references lead to objects made not long before or after, one in four to anywhere.
  std::uint64_t target_of(std::uint64_t i) {
    return random_.below(4) == 0 ? random_.below(objects_) : (i + random_.below(2000)) % objects_;
  }
  void dump_object(std::uint64_t i) {
    auto& refs = out_.batch().column<event::Ref>();
    event::DumpObject object;
    object.class_id = some_class();
    object.size = kObjectBytes;
    object.generation = 1;
    object.refs.first = static_cast<event::u32>(refs.size());
    object.refs.count = static_cast<event::u32>(random_.below(4));
    for (event::u32 ref = 0; ref < object.refs.count; ++ref)
      refs.push_back({address(target_of(i)), 16 + 8 * ref});
    out_.batch().add(out_.pass(10), out_.slot(), address(i), object);
    out_.full_check();
  }

  Recording& out_;
  Random random_;
  std::vector<std::uint64_t> stack_;
  std::uint64_t objects_ = 0;
};

void objects(Recording& out, std::uint64_t count) {
  constexpr std::uint64_t kSnapshots = 9;
  Allocator allocator(out);
  for (std::uint64_t snapshot = 0; snapshot < kSnapshots; ++snapshot) {
    for (std::uint64_t i = 0; i < count / kSnapshots; ++i) allocator.allocate();
    allocator.dump();
  }
}

int run(std::string_view shape, std::uint64_t count, const char* path) {
  auto sink = polytrace::base::create_sink(path, true);
  if (!sink) return fmt::print(stderr, "{}\n", polytrace::base::to_text(sink.error())), 1;
  auto writer = polytrace::format::mlpd::kFormat.create(std::move(*sink), {});
  Recording out(**writer);
  if (shape == "calls") calls(out, count);
  else if (shape == "deep") deep(out, count);
  else if (shape == "objects") objects(out, count);
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
