// SPDX-License-Identifier: Apache-2.0
#include "agent/control/protocol/frames.hpp"

namespace polytrace::agent::control {
namespace {

constexpr unsigned kVarBits = 7;
constexpr std::uint8_t kVarMore = 0x80;

// Takes a varint of at most 64 bits off the front.
bool take_var(View& from, std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < from.size() && i < 10; ++i) {
    const std::uint64_t low = from[i] & (kVarMore - 1U);
    if (i == 9 && low > 1) return false;
    value |= low << (kVarBits * i);
    if ((from[i] & kVarMore) == 0) {
      from = from.subspan(i + 1);
      return true;
    }
  }
  return false;
}

void append_var(Bytes& out, std::uint64_t value) {
  while (value >= kVarMore) {
    out.push_back(static_cast<std::uint8_t>(value | kVarMore));
    value >>= kVarBits;
  }
  out.push_back(static_cast<std::uint8_t>(value));
}

void append_fixed(Bytes& out, std::uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

std::uint32_t fixed(View from, std::size_t at, unsigned size) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= std::uint32_t{from[at + i]} << (8 * i);
  return value;
}

View bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

std::uint64_t Item::value() const {
  View rest = bytes;
  std::uint64_t value = 0;
  return take_var(rest, value) && rest.empty() ? value : 0;
}

std::string_view Item::text() const {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool Items::next(Item& item) {
  if (rest_.empty() || damaged_) return false;
  std::uint64_t length = 0;
  damaged_ = !take_var(rest_, item.number) || !take_var(rest_, length) || length > rest_.size();
  if (damaged_) return false;
  item.bytes = rest_.first(static_cast<std::size_t>(length));
  rest_ = rest_.subspan(static_cast<std::size_t>(length));
  return true;
}

Body& Body::number(Field field, std::uint64_t value) {
  Bytes var;
  append_var(var, value);
  return bytes(field, var);
}

Body& Body::text(Field field, std::string_view text) { return bytes(field, bytes_of(text)); }

Body& Body::bytes(Field field, View bytes) {
  append_var(bytes_, static_cast<std::uint64_t>(field));
  append_var(bytes_, bytes.size());
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return *this;
}

Body& Body::figure(std::string_view name, std::uint64_t value) {
  Bytes both;
  append_var(both, value);
  const View text = bytes_of(name);
  both.insert(both.end(), text.begin(), text.end());
  return bytes(Field::figure, both);
}

Figure figure_of(const Item& item) {
  View rest = item.bytes;
  Figure figure;
  if (!take_var(rest, figure.value)) return {};
  figure.name = {reinterpret_cast<const char*>(rest.data()), rest.size()};
  return figure;
}

void append_frame(Bytes& out, const Frame& frame) {
  append_fixed(out, kHeadSize + frame.body.size(), kLengthSize);
  append_fixed(out, static_cast<std::uint16_t>(frame.message), 2);
  append_fixed(out, frame.flags, 2);
  append_fixed(out, frame.request, 4);
  out.insert(out.end(), frame.body.begin(), frame.body.end());
}

void FrameBuffer::append(View bytes) {
  // A frame that was handed out lies before taken_: room is made only now.
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(taken_));
  taken_ = 0;
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

FrameBuffer::Cut FrameBuffer::next(Frame& frame) {
  const View rest = pending();
  if (rest.size() < kLengthSize) return Cut::more;
  const std::uint32_t length = fixed(rest, 0, kLengthSize);
  if (length < kHeadSize || length > longest_) return Cut::impossible;
  if (rest.size() < kLengthSize + length) return Cut::more;
  frame.message = static_cast<Message>(fixed(rest, 4, 2));
  frame.flags = static_cast<std::uint16_t>(fixed(rest, 6, 2));
  frame.request = fixed(rest, 8, 4);
  frame.body = rest.subspan(kLengthSize + kHeadSize, length - kHeadSize);
  taken_ += kLengthSize + length;
  return Cut::frame;
}

View FrameBuffer::pending() const { return View(bytes_).subspan(taken_); }

void FrameBuffer::clear() {
  bytes_.clear();
  taken_ = 0;
}

}  // namespace polytrace::agent::control
