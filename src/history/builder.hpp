// SPDX-License-Identifier: Apache-2.0
// Builds a history as a stream, in bounded memory (docs/formats/state-history.md, "Building").
// The file is written in place, frame by frame: what was flushed survives a crash (see repair.hpp).
//
// Times are ticks. Changes come in order of time; a change that comes late is still taken while its
// segment is open and its own timeline has no later one. What a call refuses leaves the history as
// it was: the error names key and tick, and the builder goes on.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "history/model/facts.hpp"
#include "history/model/options.hpp"
#include "history/model/tree.hpp"
#include "history/model/value.hpp"
#include "history/model/visitor.hpp"

namespace polytrace::history {

// One thread changes it. With `live` other threads may query it meanwhile; without, the same thread
// may at any time.
class Builder {
 public:
  // `path` is that of history.bin. Errors: output_exists, write_failed, time_outside (start).
  static base::result<Builder> create(const std::string& path, const BuildOptions& options = {});
  Builder(Builder&&) noexcept;
  Builder& operator=(Builder&&) noexcept;
  // Without close() the file stays behind without its index, up to the last flush.
  ~Builder();

  // Keys with a place in the tree. Each call gives the same key for the same place; a new key is
  // one more than the highest so far. REQUIRES: names not empty, parent known.
  Key key(Key parent, std::string_view name);
  // From the root; missing parents are made.
  Key key(std::initializer_list<std::string_view> path);
  Key key(std::span<const std::string_view> path);
  // As above, by a written path (tree.hpp). Errors: key_unknown for one with wildcards.
  base::result<Key> key(std::string_view path);
  // Gives a chosen key its place below `parent`, which must have one. Errors: key_unknown when it
  // has none, or when key or place have another partner already.
  base::result<void> name(Key key, Key parent, std::string_view name);

  // Fixes the type of a timeline, which need not have a place in the tree (nor any value before).
  // Errors: type_conflict when it has another one; key_unknown for kNoKey.
  base::result<void> declare(Key key, Type type);

  // From `t` on `key` has that value. The same value as before is no change; the last of several
  // values at one tick wins. The first value that is not null fixes the type of a timeline, unless
  // it was declared. A timeline without any change is null; in one of type none, null is a gap.
  // Errors: type_conflict, time_backwards (before the timeline's last change or what was flushed),
  // time_outside (before the start), intervals_overlap (inside an inserted interval),
  // value_too_long, key_unknown for kNoKey, write_failed.
  base::result<void> modify(Tick t, Key key, const Value& value);
  // Adds a whole interval, in order of start; what lies between intervals is a gap, also what lies
  // before the first one when nothing else was said of the timeline. Neighbours with one value
  // stay two intervals. Errors: as modify, value_unexpected when end < start.
  base::result<void> insert(Key key, Tick start, Tick end, const Value& value);
  // From `t` on there is no interval.
  base::result<void> end(Tick t, Key key);

  // A stack: `key` holds its depth (int, null for 0), children "1", "2" ... its values.
  // Errors: as modify, limit_exceeded beyond 100000 levels.
  base::result<void> push(Tick t, Key key, const Value& value);
  // The value taken off, null from an empty stack; its child and what is below become null. Text
  // lives until the next call.
  base::result<Value> pop(Tick t, Key key);
  // Nulls the timeline and all below it in the tree.
  base::result<void> remove(Tick t, Key key);

  // What holds now; null for an unknown key and in a gap. Text lives until the next change.
  Value ongoing(Key key) const;
  // Gives the current interval another value, from its beginning. Errors: as modify;
  // time_backwards when its beginning was flushed already.
  base::result<void> set_ongoing(Key key, const Value& value);

  const Tree& tree() const;
  // All keys in ascending order; those without a place in the tree included.
  std::vector<Key> keys() const;
  // Type::open while not fixed, and for an unknown key.
  Type type(Key key) const;
  // Of what was built so far; `end` is the latest tick seen.
  Facts facts() const;

  // Queries as in history.hpp, over everything taken so far but for what the reorder window holds
  // back; in the segmented layout only (usage). An interval that has no end yet is
  // marked `ongoing` and ends at the latest tick seen. Texts live as long as the visitor runs.
  base::result<void> at(Tick t, Key key, Visitor visit) const;
  base::result<void> full(Tick t, Visitor visit) const;
  base::result<void> range(Key key, Tick from, Tick to, Visitor visit) const;

  // Writes out everything taken so far as a segment of its own; nothing at or before the latest
  // tick is taken afterwards. Errors: write_failed.
  base::result<void> flush();
  // Every state that still holds becomes an interval that ends at the later of `end` and the latest
  // tick seen; writes the index. No call may follow but facts(), tree(), keys() and type().
  // Errors: write_failed.
  base::result<void> close(Tick end);

 private:
  class Impl;
  explicit Builder(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace polytrace::history
