// SPDX-License-Identifier: Apache-2.0
// The open segment of a history being built: what holds in each timeline, what held when the
// segment began, and the changes since then. Knows no files. One thread at a time.
#pragma once

#include <vector>

#include "base/raw_array.hpp"
#include "base/result.hpp"
#include "history/layout/key_list.hpp"

namespace polytrace::history {

class Timelines {
 public:
  explicit Timelines(Tick start) : start_(start), first_(start), last_(start) {}

  KeyList& keys() { return keys_; }
  const KeyList& keys() const { return keys_; }
  // The index of a key, which is made on first sight.
  std::uint32_t index(Key key) {
    const std::uint32_t known = keys_.find(key);
    return known != KeyList::kNone ? known : add(key);
  }
  base::result<void> declare(std::uint32_t index, TypeCode code, bool strict);
  // Makes room for a value of that type: fixes an open timeline's type.
  base::result<void> accept(std::uint32_t index, TypeCode code, bool strict) {
    const TypeCode known = lines_[index].code;
    if (known == code || known == kAnyCode) [[likely]]
      return {};
    return fix(index, code, strict);
  }

  // True when the buffer should be flushed before a change at `t` is put.
  bool is_full(Tick t, std::size_t most) const { return changes_.size() >= most && t > last_; }

  // A new state from `t` on. `kept` records it even if nothing differs. The payload and tag are
  // encoded; the type was accepted.
  base::result<void> put(Tick t, std::uint32_t index, std::uint64_t payload, Tag tag, bool kept) {
    Line& line = lines_[index];
    if (t > line.last && t >= first_ && !line.ends) [[likely]] {
      if (payload == line.payload && tag == line.tag() && !kept) return seen(t);
      return append(t, index, payload, tag);
    }
    return put_late(t, index, payload, tag, kept);
  }
  // put() for the usual case, not kept and nothing to refuse; false when it is another one.
  bool put_plain(Tick t, std::uint32_t index, std::uint64_t payload, Tag tag) {
    Line& line = lines_[index];
    if (t <= line.last || t < first_ || line.ends || changes_.size() >= Change::kMost) return false;
    if (payload != line.payload || tag != line.tag()) record(t, index, line, payload, tag);
    if (t > last_) last_ = t;
    return true;
  }
  // The state just put ends at `end`, unless something follows it at once.
  void end_at(std::uint32_t index, Tick end);
  // Nothing but null was said of the timeline, from the start on.
  bool is_untouched(std::uint32_t index) const;
  // It begins with a gap rather than with null.
  void begin_absent(std::uint32_t index);
  // Gives the current state another payload from its beginning; false when that was flushed.
  bool overwrite(std::uint32_t index, std::uint64_t payload, Tag tag);

  // The current state; its start is where it began.
  State ongoing(std::uint32_t index) const;
  // The states of the open segment: the one it began with, then its changes, in order of time.
  void states(std::uint32_t index, std::vector<State>& into) const;
  // The end of the last state, when that is known.
  bool known_end(std::uint32_t index, Tick& end) const;

  // Before a flush: gaps that begin up to `until` become changes.
  base::result<void> settle_ends(Tick until);
  // Also before a flush: timelines that were ended at the very start begin with a gap.
  void note_first_gaps();
  // Intervals that the segment's changes begin.
  std::uint64_t begun() const;
  // After one: the segment's changes are forgotten, the next one begins behind them.
  void next_segment();

  std::span<const Change> changes() const { return {changes_.data(), changes_.size()}; }
  // Changes of a timeline in the open segment.
  std::uint32_t count(std::uint32_t index) const { return lines_[index].count; }
  TypeCode code(std::uint32_t index) const { return lines_[index].code; }
  std::span<const State> entries() const { return entries_; }
  Tick first() const { return first_; }
  Tick last() const { return last_; }
  // The latest end of a state that was told.
  Tick latest_end() const { return latest_end_; }
  void note(Tick t) { last_ = t > last_ ? t : last_; }
  bool has_gaps() const { return has_gaps_; }

  // Lets every current payload pass through `renew(payload)` where the state is a text.
  template <class Renew>
  void renew_texts(Renew renew);

 private:
  // What a change touches.
  struct Line {
    std::uint64_t payload = 0;
    Tick last = 0;              // nothing is taken up to here without more ado
    std::uint32_t link = 0;     // as in Change: the latest one in the buffer, the current tag
    bool ends = false;          // the state ends at `last`; absent behind
    TypeCode code = kOpenCode;  // as in the list of keys
    std::uint32_t count = 0;    // changes in the buffer, without the dead ones

    Tag tag() const { return static_cast<Tag>(link >> 24); }
    std::uint32_t latest() const { return link & Change::kNone; }
  };

  std::uint32_t add(Key key);
  base::result<void> fix(std::uint32_t index, TypeCode code, bool strict);
  base::result<void> seen(Tick t) {
    if (t > last_) last_ = t;
    return {};
  }
  base::result<void> append(Tick t, std::uint32_t index, std::uint64_t payload, Tag tag) {
    Line& line = lines_[index];
    if (changes_.size() >= Change::kMost) return too_many(t);
    record(t, index, line, payload, tag);
    return seen(t);
  }
  void record(Tick t, std::uint32_t index, Line& line, std::uint64_t payload, Tag tag) {
    const auto place = static_cast<std::uint32_t>(changes_.size());
    changes_.push({payload, t, index, Change::link_of(line.latest(), tag)});
    line.payload = payload;
    line.last = t;
    line.link = Change::link_of(place, tag);
    ++line.count;
  }
  base::result<void> put_late(Tick t, std::uint32_t index, std::uint64_t payload, Tag tag,
                              bool kept);
  base::result<void> replace(Tick t, std::uint32_t index, std::uint64_t payload, Tag tag,
                             bool kept);
  base::Unexpected too_many(Tick t) const;
  base::Unexpected refuse(base::Code code, Tick t, std::uint32_t index) const;

  KeyList keys_;
  std::vector<Line> lines_;
  std::vector<State> entries_;  // what held when the segment began
  base::RawArray<Change> changes_;
  std::vector<std::uint32_t> ending_;  // timelines whose state has an end, some of them twice
  Tick start_;
  Tick first_;  // of the open segment
  Tick last_;   // latest tick seen
  Tick latest_end_ = INT64_MIN;
  bool has_gaps_ = false;
};

template <class Renew>
void Timelines::renew_texts(Renew renew) {
  for (Line& line : lines_) {
    if (is_text(line.tag())) line.payload = renew(line.payload);
  }
}

}  // namespace polytrace::history
