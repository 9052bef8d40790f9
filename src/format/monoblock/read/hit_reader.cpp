// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/read/hit_reader.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"

namespace polytrace::format::monoblock {

using base::Code;
using base::Id;

void HitReader::read_all() {
  while (in_.ok() && !ended_ && !(in_.done() && !file_.shipped())) read_item();
  if (in_.ok() && callers_left_ > 0) in_.fault(Code::field_past_end);
  tell_sample();
}

void HitReader::read_item() {
  const HitItem item = read_hit_item(in_);
  if (!in_.ok()) return;
  if (item.is_hit()) return take_hit(item);
  if (item.kind == HitKind::chain) return take_chain(item.value);
  if (item.kind == HitKind::regions) return take_regions();
  if (item.kind != HitKind::end || !file_.shipped() || callers_left_ > 0)
    return in_.fault(Code::value_unexpected);
  ended_ = true;
  account_.framing();
}

void HitReader::take_hit(const HitItem& item) {
  const bool names_function = item.kind == HitKind::function || item.kind == HitKind::new_function;
  const Id function = item.kind == HitKind::function ? item.value : item.second;
  if (names_function && function == 0) return in_.fault(Code::value_unexpected);
  if (callers_left_ == 0) tell_sample();
  else --callers_left_;
  frames_.push_back(frame_of(item));
  const auto kind = static_cast<unsigned>(item.kind) - static_cast<unsigned>(HitKind::method);
  account_.record(static_cast<std::uint8_t>(static_cast<unsigned>(Record::hit_method) + kind));
}

void HitReader::take_chain(std::uint64_t callers) {
  if (frames_.size() != 1 || callers_left_ > 0) return in_.fault(Code::value_unexpected);
  if (!in_.fits(callers, 1)) return;
  callers_left_ = callers;
  account_.record(Record::hit_chain);
}

HitReader::Frame HitReader::frame_of(const HitItem& item) {
  switch (item.kind) {
    case HitKind::method: return {item.value, false};
    case HitKind::function: return {item.value, true};
    case HitKind::address: return {address_of(item), true};
    default: break;
  }
  event::NativeSymbol symbol;
  symbol.name = batch_.keep(item.name);
  symbol.region = item.value;
  batch_.add(now_, none(), item.second, symbol);
  return {item.second, true};
}

Id HitReader::address_of(const HitItem& item) {
  if (item.value == 0) return item.second;
  const auto start = state_.region_start(item.value);
  if (!start)
    batch_.notices.add(Code::reference_undefined, {.offset = in_.offset()}, 0,
                       fmt::format("region {}", item.value));
  return start.value_or(0) + item.second;
}

void HitReader::take_regions() {
  if (callers_left_ == 0) tell_sample();
  const std::size_t events = batch_.events.size();
  LayeredMap::Layer starts;
  while (const Id removed = number(in_)) {
    const event::NativeBinary binary{.region = removed, .removed = 1};
    batch_.add(now_, none(), base::kNoId, binary);
    starts.emplace_back(removed, State::kRemoved);
  }
  while (in_.ok()) {
    const HitRegion region = read_hit_region(in_);
    if (region.id == 0) break;
    event::NativeBinary binary{.offset = region.file_offset, .size = region.size};
    binary.name = batch_.keep(region.file);
    binary.region = region.id;
    batch_.add(now_, none(), region.start, binary);
    starts.emplace_back(region.id, region.start);
  }
  if (!in_.ok()) return batch_.events.cut(events);
  state_.add_regions(std::move(starts));
  account_.record(Record::hit_regions);
}

// Native frames at the top stand by themselves, others with their address in the stack.
void HitReader::tell_sample() {
  if (frames_.empty()) return;
  std::size_t natives = 0;
  while (natives < frames_.size() && frames_[natives].native) ++natives;
  event::Sample sample;
  if (natives > 0) sample.natives = keep_natives(natives);
  if (natives < frames_.size()) sample.stack = keep_stack(natives);
  batch_.add(now_, none(), base::kNoId, sample);
  frames_.clear();
}

event::Natives HitReader::keep_natives(std::size_t count) {
  event::Natives natives;
  natives.first = static_cast<std::uint32_t>(batch_.frames.size());
  natives.count = static_cast<std::uint32_t>(count);
  for (std::size_t i = count; i > 0; --i) batch_.frames.push_back(frames_[i - 1].id);
  return natives;
}

event::Stack HitReader::keep_stack(std::size_t begin) {
  event::Stack stack;
  stack.first = static_cast<std::uint32_t>(batch_.frames.size());
  stack.count = static_cast<std::uint32_t>(frames_.size() - begin);
  auto& places = batch_.column<event::FramePlace>();
  const auto first_place = static_cast<std::uint32_t>(places.size());
  for (std::size_t i = frames_.size(); i > begin; --i) {
    const Frame& frame = frames_[i - 1];
    batch_.frames.push_back(frame.native ? 0 : frame.id);
    places.push_back({.ip = frame.native ? frame.id : 0});
    if (frame.native) stack.places = first_place;
  }
  return stack;
}

}  // namespace polytrace::format::monoblock
