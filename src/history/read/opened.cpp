// SPDX-License-Identifier: Apache-2.0
#include "history/read/opened.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "history/read/segment_view.hpp"

namespace polytrace::history {
namespace {

using base::Code;
using base::result;

class Opener {
 public:
  Opener(base::Image image, const OpenOptions& options)
      : options_(options), opened_(std::make_unique<Opened>()) {
    opened_->image = std::move(image);
    file_ = opened_->image.bytes();
  }

  result<std::unique_ptr<Opened>> open();

 private:
  void note(const base::Error& error, std::uint64_t bytes) {
    opened_->notices.add(error.code, error.place, bytes, error.detail);
  }
  result<void> by_index(const Footer& footer);
  result<void> check_index() const;
  result<void> by_frames();
  // False when the frames end there.
  result<bool> take_frame(const base::Frame& frame);
  bool take_segment(const base::Frame& frame);
  result<void> take_keys_frame(const base::Frame& frame);
  void judge_frames(std::uint64_t end);

  const OpenOptions& options_;
  std::unique_ptr<Opened> opened_;
  base::Bytes file_;
  bool whole_ = false;  // frames that are only written at the end were met
};

result<std::unique_ptr<Opened>> Opener::open() {
  auto header = decode_header(file_, options_.trust_content);
  result<std::optional<Footer>> footer{std::nullopt};
  const bool damaged = !header && (header.error().code == Code::checksum_wrong ||
                                   header.error().code == Code::not_recognised);
  if (damaged || (header && header->layout == Layout::segmented)) footer = find_footer(file_);
  if (damaged && footer && *footer) {
    // The index holds a copy.
    note(header.error(), 0);
    header = (*footer)->header;
  }
  if (!header) return tl::unexpected(header.error());
  opened_->header = *header;
  if (!footer) note(footer.error(), 0);
  const bool has_index = footer && *footer;
  if (auto done = has_index ? by_index(**footer) : by_frames(); !done)
    return tl::unexpected(done.error());
  opened_->keys.in_order();  // nobody changes anything from here on
  return std::move(opened_);
}

result<void> Opener::check_index() const {
  const auto& places = opened_->segments;
  bool good = !places.empty() && places[0].first == opened_->header.start;
  for (std::size_t i = 0; good && i < places.size(); ++i) {
    const Tick limit = i + 1 < places.size() ? places[i + 1].first : INT64_MAX;
    good = places[i].first <= places[i].last && places[i].last <= opened_->end &&
           (i + 1 == places.size() || places[i].last < limit);
  }
  if (good && opened_->header.end != kBeingBuilt) return {};
  return base::fail(Code::value_unexpected, "segments out of order",
                    {.offset = opened_->header.footer_offset, .frame = "FOOT"});
}

result<void> Opener::by_index(const Footer& footer) {
  Opened& opened = *opened_;
  opened.header = footer.header;
  opened.segments = footer.segments;
  opened.key_frames = footer.key_frames;
  opened.string_frames = footer.string_frames;
  opened.intervals = footer.intervals;
  opened.has_index = true;
  opened.is_complete = true;
  opened.end = footer.header.end;
  if (auto good = check_index(); !good) return good;
  for (const std::uint64_t offset : footer.key_frames) {
    const auto frame = base::frame_at(file_, offset, options_.trust_content);
    if (!frame) return tl::unexpected(frame.error());
    if (auto taken = take_keys_frame(*frame); !taken) return taken;
  }
  for (const std::uint64_t offset : footer.string_frames) {
    const auto frame = base::frame_at(file_, offset, options_.trust_content);
    if (!frame) return tl::unexpected(frame.error());
    if (auto added = opened.strings.add(*frame, options_.most_inflated); !added) return added;
  }
  return {};
}

result<void> Opener::take_keys_frame(const base::Frame& frame) {
  auto& room = opened_->rooms.emplace_back();
  const auto payload = base::content(frame, room, options_.most_inflated);
  if (!payload) return tl::unexpected(payload.error());
  return take_keys(*payload, frame.offset + base::kFrameHeadSize, opened_->keys);
}

bool Opener::take_segment(const base::Frame& frame) {
  auto& places = opened_->segments;
  SegmentView view;
  if (!view.open(frame.payload)) return false;
  const bool follows =
      places.empty() ? view.first() == opened_->header.start : view.first() > places.back().last;
  if (!follows) return false;
  places.push_back({.first = view.first(),
                    .last = view.last(),
                    .offset = frame.offset,
                    .length = frame.payload.size(),
                    .changes = view.changes()});
  return true;
}

result<bool> Opener::take_frame(const base::Frame& frame) {
  result<void> taken;
  switch (frame.head.kind) {
    case kKeysFrame:
      opened_->key_frames.push_back(frame.offset);
      taken = take_keys_frame(frame);
      break;
    case kStringsFrame:
      opened_->string_frames.push_back(frame.offset);
      taken = opened_->strings.add(frame, options_.most_inflated);
      break;
    case kSegmentFrame:
      if (!take_segment(frame))
        taken = base::fail(Code::value_unexpected, {}, {.offset = frame.offset, .frame = "SEGM"});
      break;
    case kRecordsFrame: opened_->record_frames.push_back(frame.offset); break;
    case kExitFrame:
    case kFooterFrame: return whole_ = true, false;
    default:
      if (!frame.head.may_be_skipped())
        return base::fail(Code::record_unknown, {},
                          {.offset = frame.offset, .frame = base::frame_name(frame.head.kind)});
  }
  if (taken) return true;
  note(taken.error(), file_.size() - frame.offset);
  return false;
}

result<void> Opener::by_frames() {
  std::uint64_t offset = base::next_frame(opened_->header.size);
  opened_->good_end = std::min<std::uint64_t>(offset, file_.size());
  while (offset < file_.size()) {
    const auto frame = base::frame_at(file_, offset, options_.trust_content);
    if (!frame) {
      note(frame.error(), file_.size() - offset);
      break;
    }
    const auto more = take_frame(*frame);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    opened_->good_end = frame->end();
    offset = base::next_frame(frame->end());
  }
  judge_frames(offset);
  return {};
}

// What it means that the frames end there.
void Opener::judge_frames(std::uint64_t end) {
  Opened& opened = *opened_;
  const FileHeader& header = opened.header;
  const base::Place place{.offset = std::min<std::uint64_t>(end, file_.size())};
  const bool closed = header.end != kBeingBuilt;
  if (header.layout == Layout::stream) {
    opened.is_complete = closed && header.footer_offset == file_.size() && opened.notices.empty();
    if (!opened.is_complete) opened.notices.add(Code::end_missing, place, 0);
    opened.end = closed ? header.end : header.start;
    return;
  }
  opened.notices.add(Code::index_missing, place, 0);
  opened.end = opened.segments.empty() ? header.start : opened.segments.back().last;
  if (whole_ && closed) opened.end = std::max(opened.end, header.end);
}

}  // namespace

result<std::unique_ptr<Opened>> open_image(base::Image image, const OpenOptions& options) {
  return Opener(std::move(image), options).open();
}

}  // namespace polytrace::history
