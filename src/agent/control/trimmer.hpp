// SPDX-License-Identifier: Apache-2.0
// Gives back what the file of a recording takes on the disk, oldest blocks first: those that a
// client has (KEPT), or for which there is no more room (spool). Header, definitions, clocks, sites
// and the end stay, at the offsets where they were. Server's thread only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace polytrace::agent::control {

class Trimmer {
 public:
  struct Dropped {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
    std::uint64_t events = 0;
    std::uint64_t from = 0, to = 0;  // ticks
    bool more = false;               // there was not the time for all of them
  };

  // Another recording. `file`: descriptor for reading and writing; it stays the caller's.
  void begin(int file);
  // Blocks that end at or before `offset`, which must have been written; but not those that readers
  // at `pins` are in the middle of.
  Dropped drop_before(std::uint64_t offset, std::span<const std::uint64_t> pins);
  // The file's system can give parts of files back, and the file is what it should be.
  bool able() const { return able_; }
  // Up to here every block was looked at.
  std::uint64_t reached() const { return at_; }
  // The first offset at or behind `offset` that is still there.
  std::uint64_t next_kept(std::uint64_t offset) const;
  // From `offset`, which is there, up to what is not.
  std::uint64_t kept_from(std::uint64_t offset) const;

 private:
  struct Hole {
    std::uint64_t from, to;
  };
  void add(std::uint64_t from, std::uint64_t to);
  const Hole* hole_behind(std::uint64_t offset) const;

  std::vector<Hole> holes_;  // in order, none beside another
  std::uint64_t at_ = 0;
  int file_ = -1;
  bool able_ = false;
};

}  // namespace polytrace::agent::control
