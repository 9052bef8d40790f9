// SPDX-License-Identifier: Apache-2.0
#include "history/write/live_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "history/read/segments.hpp"
#include "history/read/values.hpp"
#include "history/write/timelines.hpp"

namespace polytrace::history {

using base::Code;
using base::result;

// What has reached the file.
struct LiveView::Flushed {
  Flushed(base::Image image, const BuildCore& core)
      : count(core.segments().size()),
        segments(std::move(image),
                 {.places = core.segments(),
                  .start = core.start(),
                  .end = core.segments().empty() ? core.start() : core.segments().back().last,
                  .exits = false},
                 core.lines().keys()) {
    strings.set_recent(&core.dictionary());
  }

  std::size_t count;
  std::size_t strings_frames = 0;
  Strings strings;
  Segments segments;
};

LiveView::LiveView(const BuildCore& core) : core_(core) {}
LiveView::~LiveView() = default;

Tick LiveView::latest() const { return std::max(core_.lines().last(), core_.lines().latest_end()); }

result<const LiveView::Flushed*> LiveView::refresh() const {
  if (core_.layout() == Layout::stream)
    return base::fail(Code::usage, "a stream answers no queries while it is written");
  const std::lock_guard lock(refreshing_);
  core_.lines().keys().in_order();  // sorts at most once, and not while others ask
  const bool current = flushed_ && flushed_->count == core_.segments().size() &&
                       flushed_->strings_frames == core_.string_frames().size();
  if (current) return flushed_.get();
  auto image = base::Image::map(core_.file().descriptor(), core_.file().size());
  if (!image) return tl::unexpected(image.error());
  auto fresh = std::make_unique<Flushed>(std::move(*image), core_);
  fresh->strings_frames = core_.string_frames().size();
  for (const std::uint64_t offset : core_.string_frames()) {
    const auto frame = base::frame_at(fresh->segments.image().bytes(), offset);
    if (!frame) return tl::unexpected(frame.error());
    if (auto added = fresh->strings.add(*frame, UINT64_MAX); !added)
      return tl::unexpected(added.error());
  }
  flushed_ = std::move(fresh);
  return flushed_.get();
}

void LiveView::gather_open(std::uint32_t index, Tick low, Tick high, Parts& parts) const {
  std::vector<State> states;
  core_.lines().states(index, states);
  Tick end = 0;
  const bool ends = core_.lines().known_end(index, end);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const bool last = i + 1 == states.size();
    Part part{states[i], last ? latest() : states[i + 1].start - 1, last && !ends};
    if (last && ends) part.end = end;
    if (part.end >= low && part.state.start <= high) parts.push_back(part);
  }
}

result<void> LiveView::gather(const Flushed& flushed, std::uint32_t index, Tick low, Tick high,
                              Parts& parts) const {
  parts.clear();
  const auto& places = flushed.segments.places();
  if (!places.empty() && low <= places.back().last) {
    // The state that is open there is the one that the open segment begins with.
    const auto each = [&](std::uint32_t, const State& state, Tick end, bool open) {
      if (!open) parts.push_back({state, end, false});
      return true;
    };
    auto walked = flushed.segments.forward(index, low, std::min(high, places.back().last), each);
    if (!walked) return walked;
  }
  gather_open(index, low, high, parts);
  return {};
}

result<bool> LiveView::tell(const Flushed& flushed, std::uint32_t index, const Part& part,
                            Visitor visit) const {
  if (presence_of(part.state.tag) == Presence::absent) return true;
  Interval interval{.key = core_.lines().keys()[index].key,
                    .start = part.state.start,
                    .end = part.end,
                    .ongoing = part.ongoing};
  if (!set_value(part.state, flushed.strings, interval.value))
    return base::fail(Code::value_unexpected, "a text that there is not");
  return visit(interval);
}

result<void> LiveView::range(std::uint32_t index, Tick from, Tick to, Visitor visit) const {
  const Tick low = std::max(std::min(from, to), core_.start());
  const Tick high = std::min(std::max(from, to), latest());
  if (low > high) return base::fail(Code::time_outside, fmt::format("{} .. {}", from, to));
  const auto flushed = refresh();
  if (!flushed) return tl::unexpected(flushed.error());
  Parts parts;
  if (auto done = gather(**flushed, index, low, high, parts); !done) return done;
  if (from > to) std::ranges::reverse(parts);
  for (const Part& part : parts) {
    const auto more = tell(**flushed, index, part, visit);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
  }
  return {};
}

result<void> LiveView::full(Tick t, Visitor visit) const {
  if (t < core_.start() || t > latest())
    return base::fail(Code::time_outside, fmt::format("{}", t));
  const auto flushed = refresh();
  if (!flushed) return tl::unexpected(flushed.error());
  Parts parts;
  for (const std::uint32_t index : core_.lines().keys().in_order()) {
    if (auto done = gather(**flushed, index, t, t, parts); !done) return done;
    for (const Part& part : parts) {
      const auto more = tell(**flushed, index, part, visit);
      if (!more) return tl::unexpected(more.error());
      if (!*more) return {};
    }
  }
  return {};
}

}  // namespace polytrace::history
