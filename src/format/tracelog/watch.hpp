// SPDX-License-Identifier: Apache-2.0
// What runs through a log from line to line: stacks, the last timestamp, which thread runs on which
// thread of the system. One thread walks over all lines in order and looks only at those that
// matter; every chunk gets a copy of what it needs, so that chunks can be decoded anywhere.
#pragma once

#include <tsl/robin_map.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/id_table.hpp"
#include "base/notices.hpp"
#include "format/tracelog/line.hpp"
#include "format/tracelog/sample.hpp"

namespace polytrace::format::tracelog {

inline constexpr std::uint32_t kFailedStatus = 0x80000000;          // bit of an HRESULT
inline constexpr std::uint64_t kLatest = INT64_MAX / kMillisecond;  // timestamp that can be told

// A line without its end and trailing blanks.
std::string_view without_end(std::string_view line);
// The timestamp of a record, if it has one.
std::optional<std::uint64_t> timestamp_of(const Line& line);
base::Time to_time(std::uint64_t timestamp);

// What is known where a chunk begins.
struct Before {
  struct Stack {
    base::Id thread;
    Frames frames;
  };
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  base::Time now = 0;                   // of the last record that had a timestamp
  std::vector<Stack> stacks;            // of the threads whose stacks the chunk uses
  std::vector<base::Id> threads;        // of lines that do not name theirs plainly, in order
  std::vector<std::uint64_t> refused;   // lines beyond a limit, in order
  std::uint64_t process_at = kNowhere;  // the line that tells the size of pointers
  base::Id pid = base::kNoId;
};

class Watch {
 public:
  explicit Watch(base::Notices& notices) : notices_(notices) {}

  // Starts a chunk.
  void begin();
  // The next line, as without_end() gives it.
  void see(std::string_view text, std::uint64_t offset, std::uint64_t number);
  // Frames that the chunk's events will have, about.
  std::size_t frames() const { return frames_; }
  // Ends the chunk, whose lines `bytes` are.
  std::shared_ptr<const Before> end(std::string_view bytes);

 private:
  static constexpr std::size_t kMostThreads = std::size_t{1} << 20;
  static constexpr std::size_t kMostFrames = std::size_t{1} << 22;  // of all stacks

  struct Thread {
    Frames stack;
    std::uint64_t saved_in = 0;  // the number of the last chunk that got a copy
    bool live = false;
  };

  void see_sample(std::string_view text, std::uint64_t offset, std::uint64_t number);
  void see_allocations(std::string_view text);
  void see_other(std::string_view text, std::uint64_t offset, std::uint64_t number);
  void see_thread(const Line& line, std::uint64_t number);
  void end_thread(const Line& line);
  Thread* thread(base::Id id);
  bool is_live(base::Id id) const;
  void save(base::Id id, Thread& thread);
  std::optional<std::uint64_t> last_timestamp(std::string_view bytes);

  base::Notices& notices_;
  base::IdTable ids_;
  std::vector<Thread> threads_;  // by index
  tsl::robin_map<std::uint64_t, base::Id> os_threads_;
  std::size_t all_frames_ = 0;
  base::Time now_ = 0;
  base::Id pid_ = base::kNoId;
  bool told_process_ = false;

  std::unique_ptr<Before> before_;
  std::uint64_t chunk_ = 0;
  std::size_t frames_ = 0;
  SampleLine sample_;
  Line line_;
};

}  // namespace polytrace::format::tracelog
