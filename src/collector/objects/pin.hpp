// SPDX-License-Identifier: Apache-2.0
// A part of a stream that a rule keeps, and the list of these on the disk: one small file each,
// written beside it and renamed, so that a crash changes nothing of what is kept.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::collector {

struct Pin {
  enum class State : std::uint8_t {
    open,     // its last block is still to come
    waiting,  // for a place, or for the store to be told
    kept      // all is done
  };

  // --- of whom ---
  std::uint64_t stream = 0;
  std::uint64_t series = 0;
  std::string service{};
  std::string tenant{};              // as names of objects have it
  std::string database{};            // of its rows
  std::vector<std::string> rules{};  // that named it

  // --- what: wall times in nanoseconds, blocks of the stream ---
  base::Time window = 0;  // the begin of the one that the rules looked at
  base::Time from = 0, to = 0;
  std::uint64_t first = 0, last = 0;

  State state = State::open;
  base::Time due = 0;                  // when no more of it is waited for, by our clock
  bool is_away = false;                // its blocks are in an object
  std::vector<std::uint64_t> files{};  // of the spool, that it needs
  bool is_told = false;                // the store knows that it is here; not on the disk

  std::string why() const;  // "long pause, many waits"
  bool needs_files() const { return state != State::kept || !is_away; }
};

class PinBook {
 public:
  // Makes the folder. Errors: write_failed.
  static base::result<PinBook> open(std::filesystem::path folder);

  // What is there; a file that is damaged is passed over, and counted.
  std::vector<Pin> all() const;
  std::uint64_t damaged() const { return damaged_; }
  // Errors: write_failed; what was noted before stays.
  base::result<void> note(const Pin& pin) const;
  void forget(const Pin& pin) const;

 private:
  explicit PinBook(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file_of(const Pin& pin) const;

  std::filesystem::path folder_;
  mutable std::uint64_t damaged_ = 0;
};

}  // namespace polytrace::collector
