// SPDX-License-Identifier: Apache-2.0
// The bytes of a Perfetto trace: packets, one behind the other. Calls are encoded by hand, 14 bytes
// each; whatever is rarer goes through protozero. Errors of the sink stick. One thread at a time.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <protozero/pbf_writer.hpp>
#include <span>
#include <string>

#include "base/io/sink.hpp"

namespace polytrace::exports::perfetto {

// Field numbers, as the public definition of the format has them.
namespace field {
enum Trace : protozero::pbf_tag_type { packet = 1 };
enum Packet : protozero::pbf_tag_type {
  clock_snapshot = 6,
  timestamp = 8,
  sequence = 10,
  track_event = 11,
  interned = 12,
  sequence_flags = 13,
  heap_graph = 56,
  timestamp_clock = 58,
  defaults = 59,
  track_descriptor = 60,
  perf_sample = 66,
};
enum Event : protozero::pbf_tag_type {
  annotations = 4,
  type = 9,
  name_iid = 10,
  track = 11,
  categories = 22,
  name = 23,
  counter_value = 30,
  double_counter_value = 44,
  flow_ids = 47,
  terminating_flow_ids = 48,
  callstack_iid = 56,
};
}  // namespace field

// What a packet says of its sequence.
enum class Flags : std::uint8_t {
  none = 0,
  begins = 1,  // what was interned before is forgotten
  needs = 2,   // what is interned, or the defaults
};

enum class EventType : std::uint8_t { begin = 1, end = 2, instant = 3, counter = 4 };

// What every packet of a call on one sequence has behind its timestamp.
struct CallHead {
  char bytes[16];
  std::uint8_t size;
};

// The head up to the length of its track event: sequence, flags.
inline CallHead call_head(std::uint32_t sequence) {
  CallHead head{};
  char* at = head.bytes;
  *at++ = static_cast<char>(field::sequence << 3);
  protozero::write_varint(&at[0], sequence);
  at += protozero::length_of_varint(sequence);
  *at++ = static_cast<char>(field::sequence_flags << 3);
  *at++ = 2;  // needs what is interned
  *at++ = static_cast<char>(field::track_event << 3 | 2);
  head.size = static_cast<std::uint8_t>(at - head.bytes);
  return head;
}

class PacketFile {
 public:
  explicit PacketFile(base::Sink& sink) : sink_(sink) {}

  // REQUIRES: `iid` is interned on the sequence. `passed` nanoseconds since its last call's packet.
  void call_begin(const CallHead& head, std::uint64_t passed, std::uint32_t iid) {
    char* const packet = room();
    char* at = start(packet, head, passed);
    const int size = protozero::length_of_varint(iid);
    *at++ = static_cast<char>(3 + size);
    *at++ = static_cast<char>(field::type << 3);
    *at++ = static_cast<char>(EventType::begin);
    *at++ = static_cast<char>(field::name_iid << 3);
    at += put_varint(at, iid);
    finish(packet, at);
  }
  void call_end(const CallHead& head, std::uint64_t passed) {
    char* const packet = room();
    char* at = start(packet, head, passed);
    *at++ = 2;
    *at++ = static_cast<char>(field::type << 3);
    *at++ = static_cast<char>(EventType::end);
    finish(packet, at);
  }
  // A packet of a sequence with what fill(protozero::pbf_writer&) adds.
  template <class Fill>
  void add(std::uint32_t sequence, Flags flags, Fill&& fill) {
    content_.clear();
    protozero::pbf_writer packet(content_);
    packet.add_uint32(field::sequence, sequence);
    if (flags != Flags::none)
      packet.add_uint32(field::sequence_flags, static_cast<std::uint32_t>(flags));
    fill(packet);
    char head[16];
    char* at = head;
    *at++ = static_cast<char>(field::packet << 3 | 2);
    at += put_varint(at, content_.size());
    append({head, static_cast<std::size_t>(at - head)});
    append(content_);
  }
  base::result<void> flush() {
    if (used_ != 0 && !failure_) {
      const std::span<const char> bytes(buffer_.get(), used_);
      if (auto written = sink_.write(std::as_bytes(bytes)); !written) failure_ = written.error();
    }
    used_ = 0;
    if (failure_) return base::Unexpected(*failure_);
    return {};
  }
  base::result<void> state() const {
    if (failure_) return base::Unexpected(*failure_);
    return {};
  }

 private:
  static constexpr std::size_t kSize = 256 * 1024;
  static constexpr std::size_t kLongestCall = 64;

  static int put_varint(char* at, std::uint64_t value) {
    return protozero::write_varint(at, value);
  }
  char* room() {
    if (kSize - used_ < kLongestCall) [[unlikely]]
      static_cast<void>(flush());
    return buffer_.get() + used_;
  }
  static char* start(char* packet, const CallHead& head, std::uint64_t passed) {
    char* at = packet + 2;  // the length follows
    *at++ = static_cast<char>(field::timestamp << 3);
    at += put_varint(at, passed);
    std::memcpy(at, head.bytes, sizeof head.bytes);
    return at + head.size;
  }
  void finish(char* packet, const char* end) {
    packet[0] = static_cast<char>(field::packet << 3 | 2);
    packet[1] = static_cast<char>(end - packet - 2);
    used_ = static_cast<std::size_t>(end - buffer_.get());
  }
  void append(std::string_view bytes) {
    while (!bytes.empty()) {
      if (used_ == kSize) static_cast<void>(flush());
      const std::size_t part = std::min(bytes.size(), kSize - used_);
      std::memcpy(buffer_.get() + used_, bytes.data(), part);
      used_ += part;
      bytes.remove_prefix(part);
    }
  }

  base::Sink& sink_;
  std::unique_ptr<char[]> buffer_ = std::make_unique_for_overwrite<char[]>(kSize);
  std::size_t used_ = 0;
  std::string content_;  // of a packet
  std::optional<base::Error> failure_;
};

}  // namespace polytrace::exports::perfetto
