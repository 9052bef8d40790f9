// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/stack_maps.hpp"

#include <algorithm>

namespace polytrace::agent::jvm::rewriter {

namespace {

// Types of frames. The first two hold their delta, below kShortDeltas.
enum FrameType : std::uint8_t {
  kSame = 0,
  kSameOneItem = 64,
  kSameOneItemLast = 127,
  kSameOneItemExtended = 247,
  kSameExtended = 251,  // below: chop one to three, above: append one to three
  kFull = 255,
};
constexpr std::uint32_t kShortDeltas = 64;

enum VerificationType : std::uint8_t { kUninitializedThis = 6, kObject = 7, kUninitialized = 8 };

}  // namespace

Locals::Locals(std::string_view method_name, std::string_view descriptor, bool is_static) {
  if (!is_static) push(method_name == "<init>");
  for (std::size_t i = 1; i < descriptor.size() && descriptor[i] != ')'; ++i) {
    while (i < descriptor.size() && descriptor[i] == '[') ++i;
    if (i < descriptor.size() && descriptor[i] == 'L')
      i = std::min(descriptor.find(';', i), descriptor.size());
    push(false);
  }
}

void Locals::push(bool is_uninitialized_this) {
  is_this_.push_back(is_uninitialized_this);
  if (is_uninitialized_this) ++uninitialized_;
}

void Locals::cut(std::size_t size) {
  while (is_this_.size() > size) {
    if (is_this_.back()) --uninitialized_;
    is_this_.pop_back();
  }
}

bool StackMaps::read(View body) {
  Input input(body);
  for (std::size_t left = input.u2(); left > 0; --left)
    if (!read_frame(input)) return false;
  return input.ok() && input.done();
}

bool StackMaps::read_frame(Input& input) {
  const std::uint8_t type = input.u1();
  const bool is_short = type <= kSameOneItemLast;
  if (!is_short && type < kSameOneItemExtended) return false;
  const std::uint32_t delta = is_short ? type % kShortDeltas : input.u2();
  const std::uint32_t old = count_ == 0 ? delta : last_old_ + delta + 1;
  if (!input.ok() || !relocation_.starts(old)) return false;
  if (is_short) {
    place_frame(old, type < kSameOneItem ? kSameExtended : kSameOneItemExtended);
  } else {
    place_frame(old, type);
  }
  std::uint8_t tag = 0;
  const bool one_item = is_short ? type >= kSameOneItem : type == kSameOneItemExtended;
  if (one_item ? !read_type(input, tag) : !is_short && !read_long_frame(input, type)) return false;
  if (locals_.hold_uninitialized_this()) last_uninitialized_ = old;
  return input.ok();
}

bool StackMaps::read_long_frame(Input& input, std::uint8_t type) {
  if (type == kFull) return read_full(input);
  if (type > kSameExtended) return read_locals(input, std::size_t{type} - kSameExtended);
  const std::size_t gone = std::size_t{kSameExtended} - type;
  if (gone > locals_.size()) return false;
  locals_.cut(locals_.size() - gone);
  return true;
}

bool StackMaps::read_full(Input& input) {
  const std::uint16_t locals = input.u2();
  frames_.u2(locals);
  locals_.cut(0);
  if (!read_locals(input, locals)) return false;
  const std::uint16_t stack = input.u2();
  frames_.u2(stack);
  std::uint8_t tag = 0;
  for (std::size_t i = 0; i < stack; ++i)
    if (!read_type(input, tag)) return false;
  return input.ok();
}

bool StackMaps::read_locals(Input& input, std::size_t count) {
  std::uint8_t tag = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!read_type(input, tag)) return false;
    locals_.push(tag == kUninitializedThis);
  }
  return true;
}

bool StackMaps::read_type(Input& input, std::uint8_t& tag) {
  tag = input.u1();
  if (!input.ok() || tag > kUninitialized) return false;
  frames_.u1(tag);
  if (tag == kObject) frames_.u2(input.u2());
  if (tag != kUninitialized) return input.ok();
  const std::uint16_t old = input.u2();
  if (!input.ok() || !relocation_.starts(old)) return false;
  frames_.u2(relocation_.label(old));
  return true;
}

// `type` is one with a delta of its own; the short form is taken where there is one and it fits.
void StackMaps::place_frame(std::uint32_t old, std::uint8_t type) {
  const std::uint32_t place = relocation_.label(old);
  const std::uint32_t delta = delta_to(place);
  const bool has_short = type == kSameExtended || type == kSameOneItemExtended;
  if (has_short && delta < kShortDeltas) {
    frames_.u1((type == kSameExtended ? kSame : kSameOneItem) + delta);
  } else {
    frames_.u1(type);
    frames_.u2(delta);
  }
  last_old_ = old;
  last_new_ = place;
  ++count_;
}

void StackMaps::append_handler(std::uint32_t place, std::uint16_t class_index) {
  frames_.u1(kFull);
  frames_.u2(delta_to(place));
  frames_.u2(0);
  frames_.u2(1);
  frames_.u1(kObject);
  frames_.u2(class_index);
  ++count_;
}

void StackMaps::write(Output& output) const {
  output.u2(count_);
  output.append(frames_.view());
}

}  // namespace polytrace::agent::jvm::rewriter
