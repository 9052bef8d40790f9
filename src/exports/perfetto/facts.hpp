// SPDX-License-Identifier: Apache-2.0
// The sequence of a Perfetto trace that holds whatever is no call: descriptions of tracks, events
// with times of their own, samples, and what these intern. One thread at a time.
#pragma once

#include "exports/job/job.hpp"
#include "exports/perfetto/packets.hpp"
#include "exports/timelines/names.hpp"
#include "slice/stacks.hpp"

namespace polytrace::exports::perfetto {

// Sequences. A thread's is the first and the thread's index.
inline constexpr std::uint32_t kFacts = 1;
inline constexpr std::uint32_t kHeap = 2;
inline constexpr std::uint32_t kFirstThread = 16;
// Tracks.
inline constexpr std::uint64_t kProcess = 1;
inline constexpr std::uint64_t kCollector = 2;
inline constexpr std::uint64_t kRemarks = 3;

// The clock of all times that are not differences.
inline constexpr std::uint32_t kBootClock = 6;

class Facts {
 public:
  // All of it outlives this.
  Facts(PacketFile& file, const Origin& origin, MethodTexts& methods);
  std::vector<std::string> limits() const { return stacks_.limits(); }

  // A track that nothing describes yet.
  std::uint64_t new_track() { return next_track_++; }
  void describe_track(std::uint64_t uuid, std::uint64_t parent, std::string_view name);
  // May be told anew: the last name holds.
  void describe_thread(std::uint64_t uuid, std::int32_t tid, std::string_view name);
  void describe_process();
  std::int32_t pid() const;
  std::uint64_t counter_track(std::string_view name, event::CounterUnit unit,
                              std::string_view unit_name);

  // fill(protozero::pbf_writer&) adds what the event has beyond type, track and time.
  template <class Fill>
  void add_event(EventType type, std::uint64_t track, base::Time time, Fill&& fill);
  void add_sample(base::Time time, std::int32_t tid, std::uint32_t stack);
  // What is the same moment on another clock: nanoseconds since 1970.
  void add_wall(base::Time time, base::Time wall);
  static void annotate(protozero::pbf_writer& event, std::string_view key, std::string_view value);
  static void annotate(protozero::pbf_writer& event, std::string_view key, std::uint64_t value);

  // Interned, 0 of no frames. A stack that ends in native code gets a frame saying so, if wanted.
  std::uint32_t callstack(const slice::Slice& slice, const event::Stack& stack,
                          bool with_unmanaged);
  std::uint32_t class_name(std::uint32_t index, const slice::Names& names);

  // Times of the file are not negative: all are moved by as much as the first one needs.
  void set_first(base::Time first);
  base::Time shift() const { return shift_; }
  // A time as it stands in the file; what lies before its beginning is counted and put there.
  base::Time placed(base::Time time) {
    base::Time at = 0;
    if (!__builtin_add_overflow(time, shift_, &at) && at >= 0) [[likely]]
      return at;
    ++misplaced_;
    return 0;
  }
  std::uint64_t misplaced() const { return misplaced_; }

 private:
  void intern_frame(std::uint32_t method, const slice::Names& names);

  PacketFile& file_;
  const Origin& origin_;
  MethodTexts& methods_;
  std::uint64_t next_track_ = 100;
  slice::StackTree stacks_;
  std::vector<bool> known_stacks_;   // by node
  std::vector<bool> known_frames_;   // by method
  std::vector<bool> known_classes_;  // by number
  bool knows_mapping_ = false;
  bool knows_unmanaged_ = false;
  base::Time shift_ = 0;
  std::uint64_t misplaced_ = 0;
};

template <class Fill>
void Facts::add_event(EventType type, std::uint64_t track, base::Time time, Fill&& fill) {
  file_.add(kFacts, Flags::needs, [&](protozero::pbf_writer& packet) {
    packet.add_uint64(field::timestamp, static_cast<std::uint64_t>(placed(time)));
    protozero::pbf_writer event(packet, field::track_event);
    event.add_enum(field::type, static_cast<int>(type));
    event.add_uint64(field::track, track);
    fill(event);
  });
}

}  // namespace polytrace::exports::perfetto
