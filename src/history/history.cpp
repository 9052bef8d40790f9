// SPDX-License-Identifier: Apache-2.0
#include "history/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "base/codes.hpp"
#include "base/seeded_hash.hpp"
#include "history/read/full_walk.hpp"
#include "history/read/opened.hpp"
#include "history/read/segments.hpp"
#include "history/read/values.hpp"
#include "history/write/stream_records.hpp"

namespace polytrace::history {

using base::Code;
using base::result;

class History::Impl {
 public:
  Impl(std::unique_ptr<Opened> opened, bool trust)
      : opened_(std::move(opened)),
        bytes_(opened_->stream_bytes != 0 ? opened_->stream_bytes : opened_->image.bytes().size()),
        segments_(std::move(opened_->image),
                  {.places = opened_->segments,
                   .start = opened_->header.start,
                   .end = opened_->end,
                   .exits = opened_->has_index,
                   .trust = trust},
                  opened_->keys) {
    tell_facts();
  }

  result<std::uint32_t> index_of(Key key) const {
    const std::uint32_t index = opened_->keys.find(key);
    if (index == KeyList::kNone) return base::fail(Code::key_unknown, fmt::format("key {}", key));
    return index;
  }
  // Nothing is asked of a file that has become shorter.
  result<void> ready(Tick t) const {
    if (t < facts_.start || t > facts_.end) return outside(t);
    return ready();
  }
  result<void> ready() const {
    if (segments_.image().intact()) return {};
    return base::fail(Code::frame_truncated, "the file has become shorter");
  }
  base::Unexpected outside(Tick t) const {
    return base::fail(Code::time_outside,
                      fmt::format("{} is not in {} .. {}", t, facts_.start, facts_.end));
  }

  // Turns states into intervals for the caller.
  template <class Walk>
  result<void> tell(Visitor visit, bool& stopped, Walk walk) const {
    bool damaged = false;
    const auto each = [&](std::uint32_t index, const State& state, Tick end, bool) {
      if (presence_of(state.tag) == Presence::absent) return true;
      Interval interval{.key = opened_->keys[index].key, .start = state.start, .end = end};
      if (!set_value(state, opened_->strings, interval.value)) return damaged = true, false;
      if (visit(interval)) return true;
      stopped = true;
      return false;
    };
    const result<void> walked = walk(StateVisitor(each));
    if (damaged) return base::fail(Code::value_unexpected, "a text that there is not");
    return walked;
  }
  template <class Walk>
  result<void> tell(Visitor visit, Walk walk) const {
    bool stopped = false;
    return tell(visit, stopped, walk);
  }

  const Tree& tree() const {
    std::call_once(tree_made_, [&] { tree_ = tree_of(opened_->keys); });
    return tree_;
  }

  const Opened& opened() const { return *opened_; }
  const Segments& segments() const { return segments_; }
  Facts& facts() { return facts_; }
  const Facts& facts() const { return facts_; }
  base::Notices& notices() { return opened_->notices; }
  std::span<const Key> keys() const {
    std::call_once(keys_made_, [&] {
      keys_.reserve(opened_->keys.size());
      for (const std::uint32_t index : opened_->keys.in_order())
        keys_.push_back(opened_->keys[index].key);
    });
    return keys_;
  }

 private:
  void tell_facts();

  std::unique_ptr<Opened> opened_;
  std::uint64_t bytes_;
  Segments segments_;
  Facts facts_;
  mutable std::once_flag keys_made_;
  mutable std::vector<Key> keys_;
  mutable std::once_flag tree_made_;
  mutable Tree tree_;
};

void History::Impl::tell_facts() {
  const FileHeader& header = opened_->header;
  facts_ = {.layout = header.layout,
            .version = header.major,
            .minor = header.minor,
            .start = header.start,
            .end = opened_->end,
            .ticks_per_second = header.ticks_per_second,
            .clock_offset = header.clock_offset,
            .id = header.id,
            .complete = opened_->is_complete,
            .bytes = bytes_,
            .segments = opened_->segments.size(),
            .intervals = opened_->intervals,
            .keys = opened_->keys.size(),
            .strings = opened_->strings.count()};
  for (const SegmentPlace& place : opened_->segments) facts_.changes += place.changes;
}

namespace {

result<std::unique_ptr<Opened>> open_any(result<base::Image> image, const OpenOptions& options) {
  if (!image) return tl::unexpected(image.error());
  auto opened = open_image(std::move(*image), options);
  if (!opened || (*opened)->header.layout == Layout::segmented) return opened;
  return load_stream(std::move(*opened), options);
}

}  // namespace

result<History> History::open(const std::string& path, const OpenOptions& options) {
  auto opened =
      open_any(options.copied ? base::Image::read(path) : base::Image::map(path), options);
  if (!opened) return tl::unexpected(opened.error());
  return History(std::make_unique<Impl>(std::move(*opened), options.trust_content));
}

result<History> History::open_bytes(std::vector<std::byte> bytes, const OpenOptions& options) {
  auto opened = open_any(base::Image::of(std::move(bytes)), options);
  if (!opened) return tl::unexpected(opened.error());
  return History(std::make_unique<Impl>(std::move(*opened), options.trust_content));
}

History::History(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
History::History(History&&) noexcept = default;
History& History::operator=(History&&) noexcept = default;
History::~History() = default;

const Facts& History::facts() const { return impl_->facts(); }
const base::Notices& History::notices() const { return impl_->opened().notices; }
void History::add(const base::Notices& more) { impl_->notices().merge(more); }
const Tree& History::tree() const { return impl_->tree(); }
std::span<const Key> History::keys() const { return impl_->keys(); }
bool History::knows(Key key) const { return impl_->opened().keys.find(key) != KeyList::kNone; }

std::optional<Key> History::key(std::string_view path) const {
  const auto names = plain_names(path);
  if (!names) return std::nullopt;
  const KeyList& keys = impl_->opened().keys;
  const Key found = key_at(keys, *names);
  return keys.find(found) == KeyList::kNone ? std::nullopt : std::optional(found);
}

std::optional<std::string> History::path(Key key) const {
  return path_of(impl_->opened().keys, key);
}

Type History::type(Key key) const {
  const std::uint32_t index = impl_->opened().keys.find(key);
  return index == KeyList::kNone ? Type::open : static_cast<Type>(impl_->opened().keys[index].code);
}

result<std::optional<Interval>> History::at(Tick t, Key key) const {
  const auto index = impl_->index_of(key);
  if (!index) return tl::unexpected(index.error());
  if (auto ready = impl_->ready(t); !ready) return tl::unexpected(ready.error());
  std::optional<Interval> answer;
  const auto told = impl_->tell([&](const Interval& interval) { answer = interval; },
                                [&](const StateVisitor& visit) -> result<void> {
                                  const auto found = impl_->segments().at(*index, t);
                                  if (!found) return tl::unexpected(found.error());
                                  visit(*index, found->state, found->end, found->open);
                                  return {};
                                });
  if (!told) return tl::unexpected(told.error());
  return answer;
}

result<void> History::full(Tick t, Visitor visit) const {
  if (auto ready = impl_->ready(t); !ready) return ready;
  FullWalk walk(impl_->segments(), t);
  Interval interval;
  for (;;) {
    const auto cells = walk.next();
    if (!cells) return tl::unexpected(cells.error());
    if (cells->empty()) return {};
    for (const Cell& cell : *cells) {
      if (presence_of(cell.state.tag) == Presence::absent) continue;
      interval.key = cell.key;
      interval.start = cell.state.start;
      interval.end = cell.end;
      if (!set_value(cell.state, impl_->opened().strings, interval.value))
        return base::fail(Code::value_unexpected, "a text that there is not");
      if (!visit(interval)) return {};
    }
  }
}

result<void> History::range(Key key, Tick from, Tick to, Visitor visit) const {
  return range(std::span(&key, 1), from, to, visit);
}

result<void> History::range(std::span<const Key> keys, Tick from, Tick to, Visitor visit) const {
  const Tick low = std::max(std::min(from, to), facts().start);
  const Tick high = std::min(std::max(from, to), facts().end);
  if (low > high) return impl_->outside(from);
  if (auto ready = impl_->ready(); !ready) return ready;
  bool stopped = false;
  return for_each_key(keys, [&](std::uint32_t index, bool& stop) {
    const auto walk = [&](const StateVisitor& each) {
      return from <= to ? impl_->segments().forward(index, low, high, each)
                        : impl_->segments().backward(index, low, high, each);
    };
    auto told = impl_->tell(visit, stopped, walk);
    stop = stopped;
    return told;
  });
}

result<void> History::sampled(std::span<const Key> keys, std::span<const Tick> times,
                              Visitor visit) const {
  std::vector<Tick> ascending(times.begin(), times.end());
  std::ranges::sort(ascending);
  if (ascending.empty()) return {};
  if (auto ready = impl_->ready(ascending.front()); !ready) return ready;
  if (auto ready = impl_->ready(ascending.back()); !ready) return ready;
  bool stopped = false;
  return for_each_key(keys, [&](std::uint32_t index, bool& stop) {
    const auto walk = [&](const StateVisitor& each) {
      return impl_->segments().sampled(index, ascending, each);
    };
    auto told = impl_->tell(visit, stopped, walk);
    stop = stopped;
    return told;
  });
}

template <class Each>
result<void> History::for_each_key(std::span<const Key> keys, Each each) const {
  std::unordered_set<Key, base::SeededHash> done;
  bool stop = false;
  for (const Key key : keys) {
    if (keys.size() > 1 && !done.insert(key).second) continue;
    const auto index = impl_->index_of(key);
    if (!index) return tl::unexpected(index.error());
    if (auto told = each(*index, stop); !told || stop) return told;
  }
  return {};
}

result<std::optional<Tick>> History::next_change(Key key, Tick t) const {
  const auto index = impl_->index_of(key);
  if (!index) return tl::unexpected(index.error());
  if (auto ready = impl_->ready(t); !ready) return tl::unexpected(ready.error());
  const auto found = impl_->segments().at(*index, t);
  if (!found) return tl::unexpected(found.error());
  if (found->open) return std::nullopt;
  return std::optional<Tick>(found->end + 1);
}

result<std::optional<Tick>> History::previous_change(Key key, Tick t) const {
  const auto index = impl_->index_of(key);
  if (!index) return tl::unexpected(index.error());
  if (auto ready = impl_->ready(t); !ready) return tl::unexpected(ready.error());
  if (t == facts().start) return std::nullopt;
  const auto found = impl_->segments().at(*index, t - 1);
  if (!found) return tl::unexpected(found.error());
  if (found->state.start == facts().start) return std::nullopt;
  return std::optional<Tick>(found->state.start);
}

std::vector<Tick> History::milestones() const {
  std::vector<Tick> all;
  for (const SegmentPlace& place : impl_->segments().places()) all.push_back(place.first);
  if (all.empty()) all.push_back(facts().start);
  return all;
}

result<void> History::verify() const {
  const Segments& segments = impl_->segments();
  for (std::size_t i = 0; i < segments.places().size(); ++i) {
    if (const auto good = segments.segment(i); !good) return tl::unexpected(good.error());
  }
  if (facts().end < facts().start) return {};
  for (const Key key : keys()) {
    if (auto good = range(key, facts().start, facts().end, [](const Interval&) {}); !good)
      return good;
  }
  return {};
}

}  // namespace polytrace::history
