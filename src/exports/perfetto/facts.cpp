// SPDX-License-Identifier: Apache-2.0
#include "exports/perfetto/facts.hpp"

#include "base/text/utf8.hpp"

namespace polytrace::exports::perfetto {

using base::Id;
using base::Time;
using protozero::pbf_writer;
using slice::Names;
using slice::Slice;

namespace {

constexpr std::uint32_t kUnmanaged = ~std::uint32_t{0} - 1;
constexpr std::uint32_t kWallClock = 1;

}  // namespace

Facts::Facts(PacketFile& file, const Origin& origin, MethodTexts& methods)
    : file_(file), origin_(origin), methods_(methods) {
  file_.add(kFacts, Flags::begins, [](pbf_writer&) {});
}

void Facts::describe_track(std::uint64_t uuid, std::uint64_t parent, std::string_view name) {
  file_.add(kFacts, Flags::none, [&](pbf_writer& packet) {
    pbf_writer track(packet, field::track_descriptor);
    track.add_uint64(1, uuid);
    track.add_uint64(5, parent);
    track.add_string(2, base::repaired(name));
  });
}

void Facts::describe_thread(std::uint64_t uuid, std::int32_t tid, std::string_view name) {
  file_.add(kFacts, Flags::none, [&](pbf_writer& packet) {
    pbf_writer descriptor(packet, field::track_descriptor);
    descriptor.add_uint64(1, uuid);
    descriptor.add_uint64(5, kProcess);
    pbf_writer thread(descriptor, 4);
    thread.add_int32(1, pid());
    thread.add_int32(2, tid);
    thread.add_string(5, base::repaired(name));
  });
}

void Facts::describe_process() {
  file_.add(kFacts, Flags::none, [&](pbf_writer& packet) {
    pbf_writer descriptor(packet, field::track_descriptor);
    descriptor.add_uint64(1, kProcess);
    pbf_writer process(descriptor, 3);
    process.add_int32(1, pid());
    process.add_string(6, base::repaired(origin_.process_or_trace()));
  });
}

void Facts::annotate(pbf_writer& event, std::string_view key, std::string_view value) {
  pbf_writer annotation(event, field::annotations);
  annotation.add_string(10, key.data(), key.size());
  annotation.add_string(6, base::repaired(value));
}

void Facts::annotate(pbf_writer& event, std::string_view key, std::uint64_t value) {
  pbf_writer annotation(event, field::annotations);
  annotation.add_string(10, key.data(), key.size());
  annotation.add_uint64(3, value);
}

std::uint32_t Facts::callstack(const Slice& slice, const event::Stack& recorded,
                               bool with_unmanaged) {
  std::uint32_t stack = slice::StackTree::kRoot;
  const auto frames = slice.batch.list(recorded);
  for (const Id frame : frames)
    if (slice.names.is_method(frame))
      stack = stacks_.child(stack, slice.names.methods().index(frame));
  if (with_unmanaged && (frames.empty() || !slice.names.is_method(frames.back())))
    stack = stacks_.child(stack, kUnmanaged);
  if (stack == slice::StackTree::kRoot) return 0;
  if (stack < known_stacks_.size() && known_stacks_[stack]) return stack;
  std::vector<std::uint32_t> ids;
  for (std::uint32_t node = stack; node != slice::StackTree::kRoot; node = stacks_.parent(node)) {
    const std::uint32_t method = stacks_.method(node);
    if (method != kUnmanaged && !methods_.shows(method, slice.names)) continue;
    intern_frame(method, slice.names);
    ids.push_back(method == kUnmanaged ? kUnmanaged : method + 1);
  }
  if (known_stacks_.size() <= stack) known_stacks_.resize(stack + std::size_t{1});
  known_stacks_[stack] = true;
  file_.add(kFacts, Flags::needs, [&](pbf_writer& packet) {
    pbf_writer interned(packet, field::interned);
    pbf_writer callstack(interned, 7);
    callstack.add_uint64(1, stack);
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) callstack.add_uint64(2, *id);
  });
  return stack;
}

void Facts::intern_frame(std::uint32_t method, const Names& names) {
  const bool unmanaged = method == kUnmanaged;
  if (unmanaged ? knows_unmanaged_ : method < known_frames_.size() && known_frames_[method]) return;
  if (unmanaged) {
    knows_unmanaged_ = true;
  } else {
    if (known_frames_.size() <= method) known_frames_.resize(method + std::size_t{1});
    known_frames_[method] = true;
    if (!names.methods().named(method)) methods_.count_nameless(method);
  }
  const std::uint64_t id = unmanaged ? kUnmanaged : std::uint64_t{method} + 1;
  file_.add(kFacts, Flags::needs, [&](pbf_writer& packet) {
    pbf_writer interned(packet, field::interned);
    if (!std::exchange(knows_mapping_, true)) {  // frames need a mapping, even an empty one
      pbf_writer mapping(interned, 19);
      mapping.add_uint64(1, 1);
    }
    {
      pbf_writer function(interned, 5);
      function.add_uint64(1, id);
      function.add_string(
          2, unmanaged ? "(no managed frame)" : base::repaired(names.method_name(method)));
    }
    pbf_writer frame(interned, 6);
    frame.add_uint64(1, id);
    frame.add_uint64(2, id);
    frame.add_uint64(3, 1);
  });
}

// One number with the name, another for as long as that has not come.
std::uint32_t Facts::class_name(std::uint32_t index, const Names& names) {
  const bool named = names.classes().named(index);
  const std::uint32_t id = 2 * index + (named ? 2 : 1);
  if (!named) methods_.count_nameless_class(index);
  if (known_classes_.size() <= id) known_classes_.resize(id + std::size_t{1});
  if (known_classes_[id]) return id;
  known_classes_[id] = true;
  file_.add(kFacts, Flags::needs, [&](pbf_writer& packet) {
    pbf_writer interned(packet, field::interned);
    pbf_writer name(interned, 2);
    name.add_uint64(1, id);
    name.add_string(2, base::repaired(names.class_name(index)));
  });
  return id;
}

void Facts::add_sample(Time time, std::int32_t tid, std::uint32_t stack) {
  file_.add(kFacts, Flags::needs, [&](pbf_writer& packet) {
    packet.add_uint64(field::timestamp, static_cast<std::uint64_t>(placed(time)));
    pbf_writer sample(packet, field::perf_sample);
    sample.add_uint32(1, 0);
    sample.add_int32(2, pid());
    sample.add_int32(3, tid);
    sample.add_uint64(4, stack);
    sample.add_enum(5, 2);
  });
}

std::uint64_t Facts::counter_track(std::string_view name, event::CounterUnit unit,
                                   std::string_view unit_name) {
  const std::uint64_t uuid = next_track_++;
  file_.add(kFacts, Flags::none, [&](pbf_writer& packet) {
    pbf_writer descriptor(packet, field::track_descriptor);
    descriptor.add_uint64(1, uuid);
    descriptor.add_uint64(5, kProcess);
    descriptor.add_string(2, base::repaired(name));
    pbf_writer counter(descriptor, 8);
    if (unit == event::CounterUnit::bytes) counter.add_enum(3, 3);
    else if (unit == event::CounterUnit::count) counter.add_enum(3, 2);
    else if (!unit_name.empty()) counter.add_string(6, unit_name.data(), unit_name.size());
  });
  return uuid;
}

void Facts::add_wall(Time time, Time wall) {
  file_.add(kFacts, Flags::none, [&](pbf_writer& packet) {
    pbf_writer snapshot(packet, field::clock_snapshot);
    for (const auto& [id, value] : {std::pair(kBootClock, placed(time)), {kWallClock, wall}}) {
      pbf_writer clock(snapshot, 1);
      clock.add_uint32(1, id);
      clock.add_uint64(2, static_cast<std::uint64_t>(std::max<Time>(value, 0)));
    }
  });
}

void Facts::set_first(Time first) {
  if (first < 0 && first != std::numeric_limits<Time>::min()) shift_ = -first;
}

std::int32_t Facts::pid() const {
  const Id pid = origin_.pid;
  return pid == 0 || pid > std::numeric_limits<std::int32_t>::max()
             ? 1
             : static_cast<std::int32_t>(pid);
}

}  // namespace polytrace::exports::perfetto
