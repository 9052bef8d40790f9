// SPDX-License-Identifier: Apache-2.0
#include "collector/aggregate/frame_ids.hpp"

#include <chrono>
#include <cstring>

#include "analysis/profile/tree.hpp"
#include "base/slot.hpp"
#include "base/text/utf8.hpp"
#include "collector/aggregate/stable_names.hpp"

namespace polytrace::collector {
namespace {

using slice::Names;
using slice::StackTree;
using warehouse::FrameKind;
using warehouse::Id128;

constexpr std::string_view kMany = "(many)";
constexpr std::string_view kManyStacks = "(many stacks)";

std::uint64_t month_of(std::uint16_t day) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  return static_cast<std::uint64_t>(static_cast<int>(date.year())) * 12 +
         static_cast<unsigned>(date.month());
}

std::uint64_t first_half(const Id128& id) {
  std::uint64_t half = 0;
  std::memcpy(&half, id.data(), sizeof half);
  return half;
}

}  // namespace

void FrameIds::learn(const slice::Slice& slice) {
  if (slice.batch.column<event::Method>().empty()) return;
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = slice.batch.events[i];
    if (event.kind != event::Kind::Method) continue;
    const auto method = slice.batch.details_or<event::Method>(event, {});
    if (method.source.empty()) continue;
    base::slot(places_, slice.names.methods().index(event.id)) = {base::repaired(method.source),
                                                                  method.first_line};
  }
}

// Months only go on: what comes late is told in the month that has it.
void FrameIds::begin(std::uint16_t day, Rows& rows) {
  day_ = day;
  rows_ = &rows;
  if (month_of(day) <= month_) return;
  month_ = month_of(day);
  told_frames_.clear();
  told_stacks_.clear();
}

std::uint64_t FrameIds::method(std::uint32_t index, const Names& names) {
  if (index == analysis::ProfileTree::kUnmanaged) return other("(unmanaged)");
  std::uint64_t& known = base::slot(methods_, index);
  if (known != 0 && told_frames_.contains(known)) return known;
  const std::uint64_t id = frame(FrameKind::method, names.method_name(index),
                                 index < places_.size() ? places_[index] : Place());
  if (names.methods().named(index) && id != many_) known = id;
  return id;
}

std::uint64_t FrameIds::type(std::uint32_t index, const Names& names) {
  return frame(FrameKind::type, names.class_name(index), {});
}

std::uint64_t FrameIds::frame(FrameKind kind, std::string_view name, const Place& place) {
  const std::string text = stable_name(base::repaired(name));
  const std::uint64_t id = warehouse::frame_id(kind, text, place.file, place.line, seed_);
  if (told_frames_.contains(id)) return id;
  // Our own words are few.
  if (kind != FrameKind::other && novelty_ != nullptr && !novelty_->admits(Novelty::Kind::name, id))
    return many_ = other(kMany);
  told_frames_.insert(id);
  rows_->of<warehouse::Frame>().push_back(
      {id, static_cast<std::uint8_t>(kind), text, place.file, place.line, day_});
  return id;
}

Id128 FrameIds::announced(const Id128& id, const std::vector<std::uint64_t>& frames) {
  if (told_stacks_.insert(first_half(id)).second)
    rows_->of<warehouse::Stack>().push_back({id, frames, day_});
  return id;
}

Id128 FrameIds::announced(const std::vector<std::uint64_t>& frames) {
  return announced(warehouse::stack_id(frames, seed_), frames);
}

Id128 FrameIds::lone_stack(std::string_view name) { return announced({other(name)}); }

FrameIds::Stack FrameIds::stack(const StackTree& tree, std::uint32_t node, const Names& names,
                                std::string_view frameless, std::vector<Stack>& known) {
  Stack& slot = base::slot(known, node);
  if (slot.is_final && told_stacks_.contains(first_half(slot.id))) return slot;
  slot.is_final = true;
  frames_.clear();
  for (std::uint32_t at = node; at != StackTree::kRoot; at = tree.parent(at)) {
    const std::uint32_t method = tree.method(at);
    slot.is_final &= names.methods().named(method);
    frames_.push_back(method == Names::kOtherPaths ? other("(other paths)")
                                                   : this->method(method, names));
    slot.is_final &= frames_.back() != many_;
  }
  if (frames_.empty()) frames_.push_back(other(frameless));
  slot.id = warehouse::stack_id(frames_, seed_);
  const bool told = told_stacks_.contains(first_half(slot.id));
  if (told || novelty_ == nullptr || novelty_->admits(Novelty::Kind::stack, first_half(slot.id))) {
    announced(slot.id, frames_);
    return slot;
  }
  slot.is_final = false;
  slot.id = lone_stack(kManyStacks);
  return slot;
}

}  // namespace polytrace::collector
