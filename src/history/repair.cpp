// SPDX-License-Identifier: Apache-2.0
#include "history/repair.hpp"

#include <algorithm>

#include "history/builder.hpp"
#include "history/history.hpp"
#include "history/read/opened.hpp"
#include "history/write/finisher.hpp"
#include "history/write/segment_writer.hpp"

namespace polytrace::history {
namespace {

using base::result;

// How many intervals a history without an index has.
result<std::uint64_t> count_intervals(const History& history) {
  std::uint64_t count = 0;
  for (const Key key : history.keys()) {
    auto done = history.range(key, history.facts().start, history.facts().end,
                              [&](const Interval&) { ++count; });
    if (!done) return tl::unexpected(done.error());
  }
  return count;
}

// Answers need a segment, even if nothing ever happened.
result<void> add_empty_segment(base::FrameFile& file, const KeyList& keys, Tick start,
                               Footer& footer) {
  std::vector<State> entries;
  for (std::uint32_t i = 0; i < keys.size(); ++i) entries.push_back({start, 0, kNullTag});
  const std::vector<std::uint32_t> counts(keys.size(), 0);
  SegmentWriter writer;
  const auto payload = writer.write({start, start, keys, entries, {}, counts});
  const auto offset = file.append(kSegmentFrame, payload);
  if (!offset) return tl::unexpected(offset.error());
  footer.segments.push_back(
      {.first = start, .last = start, .offset = *offset, .length = payload.size()});
  return {};
}

result<void> finish_file(const std::string& path, const Opened& opened, const Facts& facts,
                         std::uint64_t intervals) {
  auto file = base::FrameFile::reopen(path, opened.good_end);
  if (!file) return tl::unexpected(file.error());
  FileHeader header = opened.header;
  header.end = facts.end;
  if (header.layout == Layout::stream) return finish_stream(*file, header);
  Footer footer{.header = header,
                .segments = opened.segments,
                .keys = opened.keys.size(),
                .intervals = intervals,
                .strings = opened.strings.count(),
                .key_frames = opened.key_frames,
                .string_frames = opened.string_frames};
  if (footer.segments.empty()) {
    if (auto added = add_empty_segment(*file, opened.keys, header.start, footer); !added)
      return added;
  }
  return finish_segments(*file, opened.keys, footer);
}

result<void> copy_keys(const History& from, Builder& to) {
  const Tree& tree = from.tree();
  for (Tree::Node node = 1; node < tree.size(); ++node) {
    if (auto done = to.name(tree.key(node), tree.key(tree.parent(node)), tree.name(node)); !done)
      return done;
  }
  for (const Key key : from.keys()) {
    if (auto done = to.declare(key, from.type(key)); !done) return done;
    const auto first = from.at(from.facts().start, key);
    if (!first) return tl::unexpected(first.error());
    if (*first) continue;
    if (auto done = to.end(from.facts().start, key); !done) return done;
  }
  return {};
}

// The intervals that begin in first .. last, in order of time.
result<void> copy_part(const History& from, Tick first, Tick last, Builder& to) {
  std::vector<Interval> part;
  for (const Key key : from.keys()) {
    auto done = from.range(key, first, last, [&](const Interval& interval) {
      if (interval.start >= first) part.push_back(interval);
    });
    if (!done) return done;
  }
  std::ranges::stable_sort(part, {}, &Interval::start);
  for (const Interval& interval : part) {
    auto done = to.insert(interval.key, interval.start, interval.end, interval.value);
    if (!done) return done;
  }
  return {};
}

result<void> copy_all(const History& from, Builder& to) {
  if (auto done = copy_keys(from, to); !done) return done;
  const std::vector<Tick> milestones = from.milestones();
  for (std::size_t i = 0; i < milestones.size(); ++i) {
    const bool is_last = i + 1 == milestones.size();
    const Tick last = is_last ? from.facts().end : milestones[i + 1] - 1;
    if (auto done = copy_part(from, milestones[i], last, to); !done) return done;
  }
  return to.close(from.facts().end);
}

}  // namespace

result<base::Notices> repair(const std::string& path) {
  auto history = History::open(path);
  if (!history) return tl::unexpected(history.error());
  if (history->facts().complete) {
    if (auto good = history->verify(); !good) return tl::unexpected(good.error());
    return history->notices();
  }
  const auto intervals = count_intervals(*history);
  if (!intervals) return tl::unexpected(intervals.error());
  auto image = base::Image::map(path);
  if (!image) return tl::unexpected(image.error());
  const auto opened = open_image(std::move(*image), {});
  if (!opened) return tl::unexpected(opened.error());
  base::Notices notices = history->notices();
  const Facts facts = history->facts();
  if (auto done = finish_file(path, **opened, facts, *intervals); !done)
    return tl::unexpected(done.error());
  return notices;
}

result<base::Notices> convert(const std::string& from, const std::string& to, Layout layout,
                              bool replace) {
  const auto history = History::open(from);
  if (!history) return tl::unexpected(history.error());
  const Facts& facts = history->facts();
  auto builder = Builder::create(to, {.start = facts.start,
                                      .ticks_per_second = facts.ticks_per_second,
                                      .clock_offset = facts.clock_offset,
                                      .id = facts.id,
                                      .layout = layout,
                                      .replace = replace});
  if (!builder) return tl::unexpected(builder.error());
  if (auto done = copy_all(*history, *builder); !done) return tl::unexpected(done.error());
  return history->notices();
}

}  // namespace polytrace::history
