// SPDX-License-Identifier: Apache-2.0
// STATISTICAL blocks.
#include "format/monoblock/layout/hits.hpp"
#include "format/monoblock/write/block_output.hpp"
#include "format/monoblock/write/writer.hpp"

namespace polytrace::format::monoblock {
namespace {

using base::Id;
using event::Event;

constexpr unsigned kKindBits = 3;

// Whether the number can stand beside the kind of an item.
bool fits_item(std::uint64_t number) { return number >> (64 - kKindBits) == 0; }

std::uint64_t item(HitKind kind, std::uint64_t number) {
  return number << kKindBits | static_cast<std::uint64_t>(kind);
}

}  // namespace

void BlockFileWriter::open_statistical(const Event& event) {
  lose_thread(event);
  if (out_.in(BlockCode::statistical) && time_ == counter_of(event) && !out_.full()) return;
  close_block();
  const ClockPoint point = take_clock(event, base::kNoId);
  out_.open(BlockCode::statistical, point.counter);
  out_.clock(point);
  time_ = point.counter;
}

void BlockFileWriter::put_details(const Event& event, const event::Sample& sample) {
  collect_frames(event, sample);
  if (frames_.empty()) return lose(event);
  lose_subject(event);
  open_statistical(event);
  close_regions();
  put_frame(event, frames_[0]);
  if (frames_.size() > 1) out_.number(item(HitKind::chain, frames_.size() - 1));
  for (std::size_t i = 1; i < frames_.size(); ++i) put_frame(event, frames_[i]);
}

// Innermost first.
void BlockFileWriter::collect_frames(const Event& event, const event::Sample& sample) {
  frames_.clear();
  const auto natives = batch_->list(sample.natives);
  for (auto ip = natives.rbegin(); ip != natives.rend(); ++ip) frames_.push_back({*ip, true});
  const auto stack = batch_->list(sample.stack);
  const auto places = batch_->places(sample.stack);
  for (std::size_t i = stack.size(); i > 0; --i) {
    const event::FramePlace place = places.empty() ? event::FramePlace{} : places[i - 1];
    const bool native = place.ip != 0 && told(stack[i - 1]) == 0;
    if (place.il != -1 || place.native != -1 || (place.ip != 0 && !native))
      lose_field(event, "places");
    frames_.push_back({native ? place.ip : stack[i - 1], native});
  }
}

void BlockFileWriter::put_frame(const Event& event, const Frame& frame) {
  if (frame.native) return put_native(event, frame.id);
  const bool fits = fits_item(frame.id);
  if (!fits) lose_field(event, "stack");
  out_.number(item(HitKind::method, fits ? frame.id : 0));
}

void BlockFileWriter::put_native(const Event& event, std::uint64_t address) {
  const auto symbol = new_functions_.find(address);
  if (symbol != new_functions_.end()) {
    if (symbol->second.time != event.time) loss_.field(event::Kind::NativeSymbol, "time");
    out_.number(item(HitKind::new_function, told(symbol->second.region)));
    out_.number(address);
    out_.content().zero_terminated(symbol->second.name);
    functions_.insert(address);
    new_functions_.erase(symbol);
    return;
  }
  if (functions_.contains(address) && fits_item(address))
    return out_.number(item(HitKind::function, address));
  const auto place = region_index_.find(address);
  const bool in_region = place && fits_item(place->region);
  out_.number(item(HitKind::address, in_region ? place->region : 0));
  out_.number(in_region ? place->offset : address);
}

// A function's name is written with its first hit.
void BlockFileWriter::put_details(const Event& event, const event::NativeSymbol& symbol) {
  if (told(event.id) == 0 || !fits_item(told(symbol.region))) return lose(event);
  lose_thread(event);
  if (symbol.name.find('\0') != event::Text::npos) lose_field(event, "name");
  const Symbol fresh{std::string(symbol.name), symbol.region, event.time};
  if (!new_functions_.insert_or_assign(event.id, fresh).second) lose(event);
}

void BlockFileWriter::put_details(const Event& event, const event::NativeBinary& binary) {
  const Id region = told(binary.region);
  if (region == 0) return lose(event);
  open_statistical(event);
  if (regions_ == Regions::added && binary.removed != 0) close_regions();
  if (regions_ == Regions::none) out_.number(item(HitKind::regions, 0));
  if (binary.removed != 0) {
    regions_ = Regions::removed;
    region_index_.remove(region);
    if (binary.removed > 1) lose_field(event, "removed");
    lose_subject(event);
    if (binary.offset != 0) lose_field(event, "offset");
    if (binary.size != 0) lose_field(event, "size");
    if (!binary.name.empty()) lose_field(event, "name");
    return out_.number(region);
  }
  if (regions_ != Regions::added) out_.number(0);
  regions_ = Regions::added;
  region_index_.add(region, told(event.id), binary.size);
  out_.number(region);
  out_.number(told(event.id));
  out_.number(binary.size);
  out_.number(binary.offset);
  put_text(event, binary.name, "name");
}

void BlockFileWriter::close_regions() {
  if (regions_ == Regions::removed) out_.number(0);
  if (regions_ != Regions::none) out_.number(0);
  regions_ = Regions::none;
}

}  // namespace polytrace::format::monoblock
