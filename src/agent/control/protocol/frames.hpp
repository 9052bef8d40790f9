// SPDX-License-Identifier: Apache-2.0
// Frames of the control protocol, little endian:
//   u32 length of what follows, u16 message, u16 flags, u32 request, body
//   body = fields, each: varint number, varint length, bytes; numbers are varints in these bytes
// Everything is bounds-checked; nothing here blocks, throws or knows sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "agent/control/protocol/messages.hpp"

namespace polytrace::agent::control {

using Bytes = std::vector<std::uint8_t>;
using View = std::span<const std::uint8_t>;

inline constexpr std::size_t kLengthSize = 4;
inline constexpr std::size_t kHeadSize = 8;  // message, flags, request
inline constexpr std::uint32_t kMaxCommand = 64U << 10;
inline constexpr std::uint32_t kMaxData = 1U << 20;
// More frames of this command follow: a long list of filters.
inline constexpr std::uint16_t kContinues = 1;

// One field of a body; lives as long as the body's bytes.
struct Item {
  std::uint64_t number = 0;  // of the field; unknown ones are skipped by whoever reads
  View bytes;

  bool is(Field field) const { return number == static_cast<std::uint64_t>(field); }
  // 0 where the bytes are no varint.
  std::uint64_t value() const;
  std::string_view text() const;
};

// Walks through a body.
class Items {
 public:
  explicit Items(View body) : rest_(body) {}
  // False at the end and at damage.
  bool next(Item& item);
  bool damaged() const { return damaged_; }

 private:
  View rest_;
  bool damaged_ = false;
};

// Makes a body.
class Body {
 public:
  Body& number(Field field, std::uint64_t value);
  Body& text(Field field, std::string_view text);
  Body& bytes(Field field, View bytes);
  // A name with a number: the figures of STATUS and of answers.
  Body& figure(std::string_view name, std::uint64_t value);
  View view() const { return bytes_; }

 private:
  Bytes bytes_;
};

struct Figure {
  std::string_view name;
  std::uint64_t value = 0;
};
// Of a field `figure`; an empty name where it is none.
Figure figure_of(const Item& item);

struct Frame {
  Message message{};
  std::uint16_t flags = 0;
  std::uint32_t request = 0;  // an answer has that of its command
  View body;
};

void append_frame(Bytes& out, const Frame& frame);

// Collects bytes until they are a frame.
class FrameBuffer {
 public:
  enum class Cut : std::uint8_t { frame, more, impossible };

  // `longest`: frames that claim more are impossible.
  explicit FrameBuffer(std::uint32_t longest) : longest_(longest) {}

  void append(View bytes);
  // The next frame, whose body lives until the next call of this object.
  Cut next(Frame& frame);
  // What is waiting to become a frame.
  View pending() const;
  void clear();

 private:
  Bytes bytes_;
  std::size_t taken_ = 0;
  std::uint32_t longest_;
};

}  // namespace polytrace::agent::control
