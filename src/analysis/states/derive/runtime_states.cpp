// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/derive/runtime_states.hpp"

#include <bit>

namespace polytrace::analysis {

using event::CounterType;
using event::JitStage;
using event::RecordingStage;

namespace {

constexpr std::array<std::string_view, 3> kSizes{"Total", "Used", "Objects"};
constexpr std::array<std::string_view, 2> kJit{"Compiling", "Compiled"};

constexpr std::uint32_t bit(CounterType type) { return 1U << static_cast<unsigned>(type); }

// The type of a counter whose values had these types.
history::Type type_of(std::uint32_t types) {
  const bool real = (types & bit(CounterType::real)) != 0;
  const bool text = (types & bit(CounterType::string)) != 0;
  const bool whole = (types & ~(bit(CounterType::real) | bit(CounterType::string))) != 0;
  if (real + text + whole > 1) return history::Type::any;
  return real ? history::Type::real : text ? history::Type::string : history::Type::integer;
}

}  // namespace

void RuntimeStates::begin() {
  recording_ = world_.writer.key(history::kRoot, "Recording");
  const bool pauses = world_.gathered().resumed_first;
  world_.writer.set(recording_, history::Value::text(pauses ? "paused" : "running"));
  // In the order in which people want to read them.
  for (const std::string_view name :
       {"Process", "Threads", "Monitors", "Collector", "Heap", "JIT", "Classes"})
    world_.writer.key(history::kRoot, name);
  declare_counters();
}

void RuntimeStates::recording(RecordingStage stage) {
  switch (stage) {
    case RecordingStage::start:
    case RecordingStage::resume:
      return world_.writer.set(recording_, history::Value::text("running"));
    case RecordingStage::pause:
      return world_.writer.set(recording_, history::Value::text("paused"));
    case RecordingStage::end:
    case RecordingStage::shutdown:
      return world_.writer.set(recording_, history::Value::text("ended"));
    default: return;
  }
}

RuntimeStates::Sizes& RuntimeStates::sizes(std::uint32_t generation) {
  if (const auto known = sizes_.find(generation); known != sizes_.end()) return known->second;
  if (heap_ == history::kNoKey) heap_ = world_.writer.key(history::kRoot, "Heap");
  if (generation == kNothing) return sizes_[generation] = Sizes(heap_);
  const history::Key generations = world_.writer.key(heap_, "Generations");
  return sizes_[generation] = Sizes(world_.writer.key(generations, world_.text(generation)));
}

void RuntimeStates::heap(const Happening& happening) {
  Sizes& of = sizes(happening.index);
  const auto field = static_cast<HeapField>(happening.detail);
  world_.writer.set_number(of.key(world_.writer, kSizes, field), happening.a);
}

// An end whose start was not told counts all the same.
void RuntimeStates::jit(const Happening& happening) {
  const auto stage = static_cast<JitStage>(happening.detail);
  if (happening.thread >= compiling_by_.size()) compiling_by_.resize(happening.thread + 1);
  std::uint32_t& by_thread = compiling_by_[happening.thread];
  if (stage == JitStage::start) {
    ++by_thread, ++compiling_;
  } else if (stage == JitStage::end || stage == JitStage::failed) {
    if (by_thread != 0) --by_thread, --compiling_;
    compiled_ += stage == JitStage::end ? 1 : 0;
  } else {
    return;
  }
  show_jit();
}

void RuntimeStates::code() {
  if (world_.gathered().seen.jit) return;
  ++compiled_;
  show_jit();
}

void RuntimeStates::show_jit() {
  StateWriter& writer = world_.writer;
  if (!any_jit_) jit_ = Attributes<Jit, 2>(writer.key(history::kRoot, "JIT"));
  any_jit_ = true;
  if (world_.gathered().seen.jit)
    writer.set_number(jit_.key(writer, kJit, Jit::compiling), compiling_);
  writer.set_number(jit_.key(writer, kJit, Jit::compiled), compiled_);
}

void RuntimeStates::class_change(const Happening& happening) {
  const bool by_loads = static_cast<ClassSource>(happening.detail) == ClassSource::load;
  if (by_loads != world_.gathered().seen.class_loads || happening.index == kNothing) return;
  const std::uint32_t type = world_.gathered().slicer.names().resolve_class(happening.index);
  if (type >= is_loaded_.size()) is_loaded_.resize(type + 1);
  const bool begins = happening.what == What::class_begin;
  if (is_loaded_[type] == begins) return;
  is_loaded_[type] = begins;
  loaded_ += begins ? 1 : ~std::uint64_t{0};
  world_.writer.set_number(key(loaded_key_, "Classes", "Loaded"), loaded_);
}

// Two counters of one name share a place.
void RuntimeStates::declare_counters() {
  std::map<history::Key, std::uint32_t> types;
  for (const CounterInfo& info : world_.gathered().counters) {
    counters_.push_back(history::kNoKey);
    if (info.types == 0) continue;
    const history::Key all = world_.writer.key(history::kRoot, "Counters");
    const history::Key section = world_.writer.key(all, info.defined ? info.section : "undefined");
    counters_.back() =
        world_.writer.key(section, info.name.empty() ? hex_text(info.id) : info.name);
    types[counters_.back()] |= info.types;
  }
  for (const auto& [key, mask] : types) world_.writer.declare(key, type_of(mask));
}

void RuntimeStates::counter(const Happening& happening) {
  const history::Key key = counters_[happening.index];
  switch (static_cast<CounterType>(happening.detail)) {
    case CounterType::real:
      return world_.writer.set(key, history::Value::of(std::bit_cast<double>(happening.a)));
    case CounterType::string:
      return world_.writer.set(
          key, history::Value::text(world_.text(static_cast<std::uint32_t>(happening.a))));
    case CounterType::uint32:
    case CounterType::uint64: return world_.writer.set_number(key, happening.a);
    default:
      return world_.writer.set(key, history::Value::of(static_cast<std::int64_t>(happening.a)));
  }
}

history::Key RuntimeStates::key(history::Key& cached, std::string_view group,
                                std::string_view name) {
  if (cached == history::kNoKey)
    cached = world_.writer.key(world_.writer.key(history::kRoot, group), name);
  return cached;
}

void RuntimeStates::process_cpu(std::uint64_t used) {
  process_cpu_ = saturated_sum(process_cpu_, used);
  world_.writer.set_number(key(process_cpu_key_, "Process", "CPU"), process_cpu_);
}

void RuntimeStates::lost(std::uint64_t records, std::uint64_t bytes) {
  lost_records_ = saturated_sum(lost_records_, records);
  lost_bytes_ = saturated_sum(lost_bytes_, bytes);
  if (lost_ == history::kNoKey) lost_ = world_.writer.key(history::kRoot, "Lost");
  world_.writer.set_number(lost_, lost_records_);
  if (lost_bytes_ != 0)
    world_.writer.set_number(key(lost_bytes_key_, "Lost", "Bytes"), lost_bytes_);
}

}  // namespace polytrace::analysis
