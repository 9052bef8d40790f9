// SPDX-License-Identifier: Apache-2.0
// Cells: what stands for the calls of a thread from afar (docs/formats/index.md, "Cells"). At level
// L time is cut into buckets of 2^L ns, counted from the origin of the index. A call of at least
// that long is *wide* and has a cell of its own; all *narrow* calls of one row (that many callers)
// that begin in one bucket share one. Cells of a level are a function of those of any finer one.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "event/open_calls.hpp"
#include "store/file/block_layout.hpp"

namespace polytrace::store {

inline constexpr unsigned kCellStep = 3;  // levels are kept at multiples of it
inline constexpr unsigned kMostLevel = 62;
inline constexpr std::uint32_t kCellFamilies = 4;  // of a thread
inline constexpr std::size_t kMostCells = 65'536;  // of a frame
inline constexpr std::uint32_t kMostDepth = event::CallAccount::kMostOpen;

// What a thread's rows are of. A row is a depth, but of marks and collections a name.
enum class Family : std::uint8_t {
  calls,
  waits,         // one row; name: kBlocked, kWaiting
  compilations,  // name: index of the method
  marks,         // row = name: a MarkName
  pauses,        // one row, of everybody
  collections,   // of everybody; row = name: the generation, in rows up to kMostGeneration
};
inline constexpr std::uint32_t kBlocked = 1, kWaiting = 2;
enum MarkName : std::uint32_t { kExceptionMark, kSampleMark, kNoteMark, kLostMark };
inline constexpr std::uint32_t kMostGeneration = 63;

struct Cell {
  base::Time start;       // of the first
  base::Time end;         // of the last
  std::uint64_t count;    // calls, at least 1
  std::uint64_t busy;     // ns in them
  std::uint64_t longest;  // ns; of several that are as long it is the first
  SliceId call;           // the longest
  std::uint32_t path;     // of the longest
  std::uint32_t row;      // how many callers they have

  bool is_wide(unsigned level) const { return count == 1 && longest >> level != 0; }
};

constexpr std::int64_t bucket_of(base::Time time, base::Time origin, unsigned level) {
  const auto since = static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(origin);
  return static_cast<std::int64_t>(since) >> level;
}

// Calls, or cells of a finer level, as cells of a level. One thread at a time.
class CellJoiner {
 public:
  // Keeps nothing of what it had. REQUIRES: level <= kMostLevel.
  void begin(base::Time origin, unsigned level) {
    origin_ = origin;
    level_ = level;
    clear();
  }
  // REQUIRES: calls of a row come in the order of their starts; row < kMostDepth.
  void add(const Cell& cell) {
    Last& last = last_of(cell.row);
    if (cell.is_wide(level_)) {
      last.place = 0;
    } else {
      const std::int64_t at = bucket_of(cell.start, origin_, level_);
      if (last.place != 0 && last.bucket == at) return join(cells_[last.place - 1], cell);
      last = {at, static_cast<std::uint32_t>(cells_.size() + 1)};
    }
    cells_.push_back(cell);
  }
  // The same of one call. In hot loops: most make no cell.
  void add_call(std::uint32_t row, base::Time start, base::Time end, SliceId call,
                std::uint32_t path) {
    const std::uint64_t duration = base::elapsed(start, end);
    const Last& last = last_of(row);
    if (last.place == 0 || duration >> level_ != 0 ||
        last.bucket != bucket_of(start, origin_, level_))
      return add({start, end, 1, duration, duration, call, path, row});
    Cell& to = cells_[last.place - 1];
    to.end = std::max(to.end, end);
    ++to.count;
    to.busy += duration;
    if (duration <= to.longest) return;
    to.longest = duration;
    to.call = call;
    to.path = path;
  }
  std::size_t size() const { return cells_.size(); }
  // Appends the cells to `into`, by row and start, and has none itself then.
  void take(std::vector<Cell>& into);

 private:
  // Of a row the cell that a narrow call may join.
  struct Last {
    std::int64_t bucket = 0;
    std::uint32_t place = 0;  // + 1; 0: there is none
  };

  Last& last_of(std::uint32_t row) {
    if (row >= last_.size()) [[unlikely]]
      last_.resize(row + std::size_t{1});
    return last_[row];
  }
  static void join(Cell& to, const Cell& more) {
    to.end = std::max(to.end, more.end);
    to.count += more.count;
    to.busy += more.busy;
    const bool is_first = more.longest == to.longest && more.call < to.call;
    if (more.longest <= to.longest && !is_first) return;
    to.longest = more.longest;
    to.call = more.call;
    to.path = more.path;
  }
  void clear();

  base::Time origin_ = 0;
  unsigned level_ = 0;
  std::vector<Cell> cells_;
  std::vector<Last> last_;  // by row
  std::vector<std::uint32_t> ends_;
};

// The payload of a LODC frame. REQUIRES: by row, at most kMostCells.
void append_cells(const std::vector<Cell>& cells, std::string& payload);
// Appends to `into`. `paths`: how many there are. Errors: those of base::read_svb, value_unexpected
// where columns do not fit together, trailing_bytes.
base::result<void> read_cells(base::Bytes payload, std::uint32_t paths, std::vector<Cell>& into);

}  // namespace polytrace::store
