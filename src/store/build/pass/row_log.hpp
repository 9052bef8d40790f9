// SPDX-License-Identifier: Apache-2.0
// The rows of all kinds while an index is built: segments, their sums, and what their source did
// not tell but other events did. One thread at a time.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "slice/lives.hpp"
#include "slice/names.hpp"
#include "store/build/pass/jobs.hpp"
#include "store/build/path_table.hpp"
#include "store/build/rows/row_encoder.hpp"
#include "store/build/rows/row_sums.hpp"
#include "store/file/whole_layout.hpp"

namespace polytrace::store {

class RowLogs final : public StackPaths {
 public:
  // All must outlive it.
  RowLogs(PathTable& paths, TextIds& texts, Jobs& jobs, const slice::Names& names)
      : paths_(paths), texts_(texts), jobs_(jobs), names_(names) {}

  // `path`: of the calls that are open in the thread.
  void add(const event::Batch& batch, const event::Event& event, std::uint32_t thread,
           std::uint64_t subject, std::uint32_t path);
  std::size_t bytes() const;  // of open segments
  // Ends the segments that take most until the others take at most this.
  void close_largest(std::size_t most_bytes);
  void close_all();
  // What close_all() would write, if it were called; nothing ends.
  void copy(std::vector<Piece>& to) const;
  // What StackPaths asks.
  StackPath path(std::span<const base::Id> frames) override;
  // Whether some stack is no path.
  bool has_frames() const { return has_frames_; }
  // As far as the trace was read; in order of their objects.
  std::vector<LockWhole> locks() const;

 private:
  struct Log {
    RowEncoder encoder;
    std::uint64_t rows = 0;  // in segments that ended
    std::optional<SumKind> sums_kind{};
    std::optional<RowSumLevels> sums{};
  };

  struct Lock {
    std::uint64_t class_index = Derived::kNone;  // the first that was known
    bool is_needed = false;                      // some row does not tell it
  };

  Log& log_of(event::Kind kind);
  void close(Log& log, RowEncoder::Memory memory);
  static Piece piece_of(const RowSegment& segment);
  static Piece piece_of(SumKind kind, RowSumLevels::Frame sums);
  Derived derive(const event::Batch& batch, const event::Event& event, std::uint32_t thread,
                 std::uint32_t path);
  void note_lock(const event::Batch& batch, const event::Event& event, std::uint64_t known);
  std::uint64_t known_class(const event::Batch& batch, const event::Event& event) const;

  PathTable& paths_;
  TextIds& texts_;
  Jobs& jobs_;
  const slice::Names& names_;
  std::unordered_map<base::Id, Lock> locks_;  // that someone waited for
  std::array<std::unique_ptr<Log>, event::kKindCount> logs_;
  slice::RecentClasses recent_;
  std::vector<std::uint64_t> moved_;  // by thread index, since its last collection
  bool has_frames_ = false;
};

}  // namespace polytrace::store
