// SPDX-License-Identifier: Apache-2.0
#include "history/read/segments.hpp"

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::history {

using base::Code;

Segments::Segments(base::Image image, Content content, const KeyList& keys)
    : image_(std::move(image)),
      content_(std::move(content)),
      keys_(keys),
      checked_(content_.places.size()) {}

Segments::~Segments() {
  for (const auto& checked : checked_) delete checked.load();
}

std::size_t Segments::number_at(Tick t) const {
  const auto behind = std::ranges::upper_bound(content_.places, t, {}, &SegmentPlace::first);
  const auto number = static_cast<std::size_t>(behind - content_.places.begin());
  return number == 0 ? 0 : number - 1;
}

base::Unexpected Segments::damaged(std::size_t number) const {
  return base::fail(Code::value_unexpected, {},
                    {.offset = content_.places[number].offset, .frame = "SEGM"});
}

// Exit tables say how long they are only themselves: as long as the way to the next one, at most.
void Segments::want_table(std::uint64_t offset) const {
  std::uint64_t end = image_.bytes().size();
  for (const SegmentPlace& place : content_.places) {
    if (place.exit > offset + base::kFrameHeadSize && place.exit < end) end = place.exit;
  }
  image_.want(offset, end - offset);
}

base::result<std::unique_ptr<Segments::Checked>> Segments::check(std::size_t number) const {
  const SegmentPlace& place = content_.places[number];
  const auto file = image_.bytes();
  const bool exit_inside = place.exit >= base::kFrameHeadSize && place.exit <= file.size();
  if (place.offset > file.size() || (content_.exits && !exit_inside)) return damaged(number);
  image_.want(place.offset, std::min(place.length, file.size() - place.offset));
  if (content_.exits) want_table(place.exit - base::kFrameHeadSize);
  const auto frame = base::frame_at(file, place.offset, content_.trust);
  if (!frame) return tl::unexpected(frame.error());
  auto checked = std::make_unique<Checked>();
  if (frame->head.kind != kSegmentFrame || frame->payload.size() != place.length ||
      !checked->view.open(frame->payload) || checked->view.first() != place.first ||
      checked->view.last() != place.last)
    return damaged(number);
  if (!content_.exits) return checked;
  const auto exits = base::frame_at(file, place.exit - base::kFrameHeadSize, content_.trust);
  if (!exits) return tl::unexpected(exits.error());
  if (exits->head.kind != kExitFrame || !checked->exits.open(exits->payload))
    return base::fail(Code::value_unexpected, {}, {.offset = exits->offset, .frame = "EXIT"});
  return checked;
}

const std::vector<Line>& Segments::lines() const {
  std::call_once(lines_made_, [&] {
    lines_.reserve(keys_.size());
    for (const std::uint32_t index : keys_.in_order()) {
      const KeyInfo& info = keys_[index];
      lines_.push_back({info.key, index, info.slot, info.open_slot, info.code, info.absent_first});
    }
  });
  return lines_;
}

base::result<const Segments::Checked*> Segments::segment(std::size_t number) const {
  auto& slot = checked_[number];
  if (const Checked* const known = slot.load(std::memory_order_acquire)) return known;
  const std::lock_guard lock(checking_);
  if (const Checked* const known = slot.load()) return known;
  auto fresh = check(number);
  if (!fresh) return tl::unexpected(fresh.error());
  slot.store(fresh->get(), std::memory_order_release);
  return fresh->release();
}

}  // namespace polytrace::history
