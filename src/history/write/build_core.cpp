// SPDX-License-Identifier: Apache-2.0
#include "history/write/build_core.hpp"

#include <sys/random.h>

#include <algorithm>
#include <map>

#include "base/codes.hpp"
#include "base/frames/bits.hpp"
#include "history/write/finisher.hpp"

namespace polytrace::history {

using base::Code;
using base::result;

namespace {

constexpr std::size_t kFirstSegment = std::size_t{1} << 17;

HistoryId random_id() {
  HistoryId id{};
  std::size_t done = 0;
  while (done < id.size()) {
    const ssize_t got = getrandom(id.data() + done, id.size() - done, 0);
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  return id;
}

FileHeader header_of(const BuildOptions& options) {
  FileHeader header;
  header.layout = options.layout;
  header.required = kFeaturesKnown;  // what may come; set right at the end
  header.start = options.start;
  header.ticks_per_second = options.ticks_per_second;
  header.clock_offset = options.clock_offset;
  header.id = options.id ? *options.id : random_id();
  return header;
}

}  // namespace

BuildCore::BuildCore(base::FrameFile file, const BuildOptions& options)
    : file_(std::move(file)),
      lines_(options.start),
      footer_{.header = header_of(options)},
      segment_size_(options.changes_per_segment),
      adaptive_(options.changes_per_segment == 0),
      strict_(options.strict_types),
      sync_(options.sync),
      window_(options.reorder_window) {
  if (adaptive_) segment_size_ = kFirstSegment;
  segment_size_ = std::min<std::size_t>(segment_size_, Change::kMost / 2);
}

result<std::unique_ptr<BuildCore>> BuildCore::start(base::FrameFile file,
                                                    const BuildOptions& options) {
  if (options.start == kBeingBuilt)
    return base::fail(Code::time_outside, "a history cannot start there");
  if (options.ticks_per_second == 0) return base::fail(Code::header_invalid, "0 ticks a second");
  std::unique_ptr<BuildCore> core(new BuildCore(std::move(file), options));
  if (auto written = core->file_.write_head(history::encode(core->footer_.header)); !written)
    return tl::unexpected(written.error());
  return core;
}

result<void> BuildCore::declare(std::uint32_t index, Type type) {
  return lines_.declare(index, code_of(type), true);
}

result<BuildCore::Encoded> BuildCore::encode(std::uint32_t index, const Value& value) {
  if (closed_) return base::fail(Code::usage, "the history is closed");
  if (value.is_null()) {
    const bool is_gap = lines_.code(index) == code_of(Type::none);
    return Encoded{0, is_gap ? kAbsentTag : kNullTag};
  }
  const TypeCode code = code_of(value.type());
  if (auto good = lines_.accept(index, code, strict_); !good) return tl::unexpected(good.error());
  if (value.type() != Type::string && value.type() != Type::bytes)
    return Encoded{value.bits(), tag_of(code)};
  if (value.text().size() > base::Dictionary::kMostText) return base::fail(Code::value_too_long);
  has_bytes_ |= value.type() == Type::bytes;
  if (dictionary_.full()) {
    if (auto ended = end_epoch(); !ended) return tl::unexpected(ended.error());
  }
  return Encoded{dictionary_.id(value.text()), tag_of(code)};
}

// What holds now, or will when the window lets it go, keeps its text; in the new epoch under a new
// id, so that the same text is known to be the same.
result<void> BuildCore::end_epoch() {
  if (auto written = write_strings(); !written) return written;
  std::map<std::uint64_t, std::uint64_t> fresh;
  std::vector<std::string> texts;
  const auto for_all = [&](auto renew) {
    lines_.renew_texts(renew);
    for (Held& held : held_) {
      if (is_text(held.state.tag)) held.state.payload = renew(held.state.payload);
    }
  };
  for_all([&](std::uint64_t id) {
    if (fresh.emplace(id, texts.size()).second) texts.emplace_back(dictionary_.text(id));
    return id;
  });
  dictionary_.start_epoch();
  for (auto& [old, id] : fresh) id = dictionary_.id(texts[id]);
  for_all([&](std::uint64_t id) { return fresh.at(id); });
  return {};
}

result<void> BuildCore::put(Tick t, std::uint32_t index, Encoded state, bool kept) {
  if (needs_flush(t)) {
    if (auto flushed = flush(); !flushed) return flushed;
  }
  return lines_.put(t, index, state.payload, state.tag, kept);
}

result<void> BuildCore::modify(Tick t, std::uint32_t index, const Value& value) {
  if (modify_plain(t, index, value)) return {};
  const auto state = encode(index, value);
  if (!state) return tl::unexpected(state.error());
  return window_ == 0 ? put(t, index, *state, false) : hold(t, index, *state);
}

result<void> BuildCore::end(Tick t, std::uint32_t index) {
  if (closed_) return base::fail(Code::usage, "the history is closed");
  const Encoded state{0, kAbsentTag};
  return window_ == 0 ? put(t, index, state, false) : hold(t, index, state);
}

result<void> BuildCore::hold(Tick t, std::uint32_t index, Encoded state) {
  if (t < start()) return base::fail(Code::time_outside);
  if (t < lines_.first()) return base::fail(Code::time_backwards);
  held_.push_back({t, order_++, index, state});
  std::ranges::push_heap(held_, Later{});
  latest_held_ = std::max(latest_held_, t);
  if (base::ticks_between(start(), latest_held_) < window_) return {};
  return release(base::tick_after(latest_held_, ~window_ + 1));
}

// Everything up to `until`, in order.
result<void> BuildCore::release(Tick until) {
  while (!held_.empty() && held_.front().t <= until) {
    std::ranges::pop_heap(held_, Later{});
    const Held next = held_.back();
    held_.pop_back();
    if (auto done = put(next.t, next.index, next.state, false); !done) return done;
  }
  return {};
}

result<void> BuildCore::settle() { return release(INT64_MAX); }

result<void> BuildCore::insert(std::uint32_t index, Tick start, Tick end, const Value& value) {
  if (end < start)
    return base::fail(Code::value_unexpected, "an interval that ends before it starts");
  if (start < this->start()) return base::fail(Code::time_outside);
  if (auto done = settle(); !done) return done;
  if (start < lines_.first()) return base::fail(Code::time_backwards);
  const bool first = lines_.is_untouched(index);
  const auto state = encode(index, value);
  if (!state) return tl::unexpected(state.error());
  if (needs_flush(start)) {
    if (auto flushed = flush(); !flushed) return flushed;
  }
  if (first && start > this->start()) lines_.begin_absent(index);
  // Null in a timeline of type none: a gap, and gaps do not stay apart.
  const bool is_gap = presence_of(state->tag) == Presence::absent;
  if (auto done = lines_.put(start, index, state->payload, state->tag, !is_gap); !done) return done;
  if (!is_gap) lines_.end_at(index, end);
  return {};
}

result<void> BuildCore::set_ongoing(std::uint32_t index, const Value& value) {
  if (auto done = settle(); !done) return done;
  const auto state = encode(index, value);
  if (!state) return tl::unexpected(state.error());
  if (lines_.overwrite(index, state->payload, state->tag)) return {};
  return base::fail(Code::time_backwards, "the beginning of the state is stored already");
}

result<void> BuildCore::write_keys() {
  base::Appender payload;
  base::Appender entries;
  std::uint64_t count = 0;
  Key before = 0;
  KeyList& keys = lines_.keys();
  for (const std::uint32_t index : keys.in_order()) {
    KeyInfo& info = keys[index];
    const bool typed_since = info.code != kOpenCode && info.slot == KeyInfo::kNone;
    if (info.listed && !typed_since) continue;
    put_key(entries, before, info);
    before = info.key;
    keys.list(index);
    ++count;
  }
  if (count == 0) return {};
  payload.uleb(count);
  payload.bytes(entries.view());
  const auto offset = file_.append(kKeysFrame, payload.view(), true);
  if (!offset) return tl::unexpected(offset.error());
  footer_.key_frames.push_back(*offset);
  return {};
}

result<void> BuildCore::write_strings() {
  result<std::uint64_t> last{0};
  dictionary_.write_new([&](base::Bytes payload) {
    last = file_.append(kStringsFrame, payload, true);
    if (last) footer_.string_frames.push_back(*last);
    return last.has_value();
  });
  if (!last) return tl::unexpected(last.error());
  return {};
}

result<void> BuildCore::write_segment() {
  counts_.clear();
  for (std::uint32_t index = 0; index < lines_.keys().size(); ++index)
    counts_.push_back(lines_.count(index));
  const SegmentWriter::Input input{lines_.first(),   std::max(lines_.first(), lines_.last()),
                                   lines_.keys(),    lines_.entries(),
                                   lines_.changes(), counts_};
  const base::Bytes payload = segment_writer_.write(input);
  if (payload.size() > UINT32_MAX) return base::fail(Code::limit_exceeded, "segment of 4 GiB");
  const auto offset = file_.append(kSegmentFrame, payload);
  if (!offset) return tl::unexpected(offset.error());
  footer_.segments.push_back({.first = input.first,
                              .last = input.last,
                              .offset = *offset,
                              .length = payload.size(),
                              .changes = segment_writer_.changes()});
  if (adaptive_) segment_size_ = segment_writer_.good_size();
  changes_ += segment_writer_.changes();
  return {};
}

result<void> BuildCore::write_records() {
  for (std::uint32_t index = 0; index < lines_.keys().size(); ++index) {
    if (lines_.count(index) == 0) continue;
    lines_.states(index, states_);
    for (std::size_t i = 0; i + 1 < states_.size(); ++i)
      stream_writer_.add(lines_.keys()[index], states_[i], base::tick_before(states_[i + 1].start));
  }
  changes_ += lines_.changes().size();
  return stream_writer_.flush([&](base::Bytes payload) -> result<void> {
    const auto offset = file_.append(kRecordsFrame, payload);
    if (!offset) return tl::unexpected(offset.error());
    return {};
  });
}

result<void> BuildCore::flush() {
  // Nothing could follow the last tick there is.
  if (lines_.last() == INT64_MAX && !closed_) return {};
  if (auto settled = lines_.settle_ends(lines_.last()); !settled) return settled;
  lines_.note_first_gaps();
  if (auto written = write_keys(); !written) return written;
  if (auto written = write_strings(); !written) return written;
  if (lines_.changes().empty() && !footer_.segments.empty()) return {};
  const bool stream = footer_.header.layout == Layout::stream;
  if (auto written = stream ? write_records() : write_segment(); !written) return written;
  footer_.intervals += stream ? lines_.begun() : segment_writer_.intervals();
  lines_.next_segment();
  return sync_ ? file_.sync() : result<void>{};
}

result<void> BuildCore::close(Tick end) {
  if (closed_) return base::fail(Code::usage, "the history is closed");
  if (auto done = settle(); !done) return done;
  end = std::max({end, lines_.last(), lines_.latest_end()});
  if (auto settled = lines_.settle_ends(end); !settled) return settled;
  const KeyList& keys = lines_.keys();
  closed_ = true;
  if (auto flushed = flush(); !flushed) return flushed;
  footer_.header.end = end;
  footer_.header.required = kFeatureCompressed;
  if (lines_.has_gaps()) footer_.header.required |= kFeatureGaps;
  if (has_bytes_) footer_.header.required |= kFeatureBytes;
  footer_.keys = keys.size();
  footer_.strings = dictionary_.count();
  for (std::uint32_t index = 0; index < keys.size(); ++index)
    footer_.intervals += keys[index].absent_first ? 0U : 1U;
  if (footer_.header.layout == Layout::segmented) return finish_segments(file_, keys, footer_);
  for (std::uint32_t index = 0; index < keys.size(); ++index)
    stream_writer_.add(keys[index], lines_.ongoing(index), end);
  if (auto written = write_records(); !written) return written;
  return finish_stream(file_, footer_.header);
}

Value BuildCore::value_of(const State& state) const {
  if (presence_of(state.tag) != Presence::value) return Value::null();
  const auto text = is_text(state.tag) ? dictionary_.text(state.payload) : std::string_view();
  return Value::from(static_cast<Type>(type_of(state.tag)), state.payload, text);
}

Facts BuildCore::facts() const {
  const FileHeader& header = footer_.header;
  Facts facts{.layout = header.layout,
              .start = header.start,
              .end = std::max(lines_.last(), lines_.latest_end()),
              .ticks_per_second = header.ticks_per_second,
              .clock_offset = header.clock_offset,
              .id = header.id,
              .complete = closed_};
  if (closed_) facts.end = header.end;
  facts.bytes = file_.size();
  facts.segments = footer_.segments.size();
  facts.changes = changes_ + lines_.changes().size();
  facts.intervals = closed_ ? footer_.intervals : 0;
  facts.keys = lines_.keys().size();
  facts.strings = dictionary_.count();
  return facts;
}

}  // namespace polytrace::history
