// SPDX-License-Identifier: Apache-2.0
// A finished history, open for queries (docs/formats/state-history.md, "Queries"). The file is
// mapped: only what a query touches is read, each segment in one request, and its checksum is
// tested before anything in it is believed.
//
// Answers are intervals with their true bounds, never clipped, each once. Texts in them are views
// that live as long as the History. Queries may run in several threads at once. While it is open,
// nobody may shorten the file (docs/decisions/0007-history-is-mapped.md); appending is harmless.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/notices.hpp"
#include "base/result.hpp"
#include "history/model/facts.hpp"
#include "history/model/options.hpp"
#include "history/model/tree.hpp"
#include "history/model/value.hpp"
#include "history/model/visitor.hpp"

namespace polytrace::history {

class History {
 public:
  // `path` is that of history.bin. A file without its index, of an interrupted build or cut, opens
  // up to its last whole frame; notices() say so (index_missing, frame_truncated, checksum_wrong).
  // One in the stream layout is turned into segments, in memory or beyond 64 MiB in a temporary
  // file. Errors: open_failed, read_failed, not_recognised, header_truncated, header_invalid,
  // version_unsupported, feature_unknown, checksum_wrong (of the header), limit_exceeded.
  static base::result<History> open(const std::string& path, const OpenOptions& options = {});
  static base::result<History> open_bytes(std::vector<std::byte> bytes,
                                          const OpenOptions& options = {});
  History(History&&) noexcept;
  History& operator=(History&&) noexcept;
  ~History();

  const Facts& facts() const;
  // What was wrong and was survived, with offsets.
  const base::Notices& notices() const;
  // Adds what was survived on the way to the file. Before anybody else asks.
  void add(const base::Notices& more);

  // The places of the keys that have one; keys that stand alone are only in keys().
  const Tree& tree() const;
  // As the tree has them, without making all of it. The key of a path without wildcards, if there
  // is such a timeline; the path of a key, if it has a place.
  std::optional<Key> key(std::string_view path) const;
  std::optional<std::string> path(Key key) const;
  // Ascending. The first call gathers them.
  std::span<const Key> keys() const;
  bool knows(Key key) const;
  // Type::open for a timeline without any value, and for an unknown key. A number that Type does
  // not name is of a later version: times are told, every value reads as Value::exists().
  Type type(Key key) const;

  // Errors of every query: key_unknown; time_outside; checksum_wrong, value_unexpected and others
  // with the offset where the file is damaged.

  // The interval that holds at `t`; nothing in a gap.
  base::result<std::optional<Interval>> at(Tick t, Key key) const;
  // All intervals that hold at `t`, in order of keys.
  base::result<void> full(Tick t, Visitor visit) const;
  // Those that meet from..to, in order of time; from > to asks for them backwards. Only the part
  // inside the history counts; there must be one.
  base::result<void> range(Key key, Tick from, Tick to, Visitor visit) const;
  // The same for several keys, each taken once, key after key in the order given.
  base::result<void> range(std::span<const Key> keys, Tick from, Tick to, Visitor visit) const;
  // Those that hold at one of the times or more, key after key in the order given, in order of
  // time.
  base::result<void> sampled(std::span<const Key> keys, std::span<const Tick> times,
                             Visitor visit) const;
  // The first tick after `t`, or the last one before it, at which another interval or a gap begins.
  base::result<std::optional<Tick>> next_change(Key key, Tick t) const;
  base::result<std::optional<Tick>> previous_change(Key key, Tick t) const;

  // Ticks, from the start on, that cut the history into parts small enough to hold in memory.
  std::vector<Tick> milestones() const;

  // Tests every checksum and decodes every segment. Errors: the first fault.
  base::result<void> verify() const;

 private:
  class Impl;
  explicit History(std::unique_ptr<Impl> impl);
  template <class Each>
  base::result<void> for_each_key(std::span<const Key> keys, Each each) const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace polytrace::history
