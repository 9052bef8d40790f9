// SPDX-License-Identifier: Apache-2.0
// What runs through a log from line to line: stacks, the last timestamp, which thread runs on which
// thread of the system. One thread walks over all lines in order and looks only at those that
// matter; every chunk gets a copy of what it needs, so that chunks can be decoded anywhere.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/id_table.hpp"
#include "base/notices.hpp"
#include "base/seeded_hash.hpp"
#include "format/tracelog/lines/chunk_start.hpp"
#include "format/tracelog/lines/line.hpp"
#include "format/tracelog/lines/quick_lines.hpp"

namespace polytrace::format::tracelog {

inline constexpr std::uint32_t kFailedStatus = 0x80000000;          // bit of an HRESULT
inline constexpr std::uint64_t kLatest = INT64_MAX / kMillisecond;  // timestamp that can be told

// A line without its end and trailing blanks.
std::string_view without_end(std::string_view line);
// The timestamp of a record, if it has one.
std::optional<std::uint64_t> timestamp_of(const Line& line);
base::Time to_time(std::uint64_t timestamp);

class Watch {
 public:
  explicit Watch(base::Notices& notices) : notices_(notices) {}

  // Starts a chunk.
  void begin();
  // Takes the quick lines from `at` on that begin before `end`: where the last one ends. See
  // parse_quick_head() for what it requires.
  const char* see_quick(const char* at, const char* end);
  // The lines of the chunk so far.
  std::size_t lines() const { return lines_; }
  // The next line, which begins at `begin` in the chunk; its place in the stream, and its number.
  void see(std::string_view line, std::size_t begin, std::uint64_t offset, std::uint64_t number);
  // Whether the chunk's events will have as many frames as stay in a cache.
  bool full() const { return frames_ >= kChunkFrames; }
  // Ends the chunk, whose lines `bytes` are.
  std::shared_ptr<const ChunkStart> end(std::string_view bytes);

 private:
  static constexpr std::size_t kChunkFrames = 128 * 1024;
  static constexpr std::size_t kMostThreads = std::size_t{1} << 20;
  static constexpr std::size_t kMostFrames = std::size_t{1} << 22;  // of all stacks

  struct Thread {
    base::Id id = base::kNoId;
    Frames stack;
    std::uint64_t saved_in = 0;  // the number of the last chunk that got a copy
    std::uint32_t saved_as = 0;  // index of that copy
    bool live = false;
  };

  // Threads as quick lines spell them.
  struct Spelled {
    std::uint64_t digits = 0;  // 0 = none
    Thread* thread = nullptr;
  };
  static constexpr unsigned kSpelledBits = 6;

  bool take_quick(const QuickLine& line, Thread& of, const base::Id* frames);
  Thread* spelled_thread(std::uint64_t digits);
  void see_sample(std::string_view text, std::uint64_t offset, std::uint64_t number);
  void see_allocations(std::string_view text);
  void see_other(std::string_view text, std::uint64_t offset, std::uint64_t number);
  void see_thread(const Line& line, std::uint64_t number);
  void end_thread(const Line& line);
  Thread* thread(base::Id id);
  bool is_live(base::Id id) const;
  void save(Thread& thread);
  void copy_stack(Thread& thread);
  std::optional<std::uint64_t> last_timestamp(std::string_view bytes);

  base::Notices& notices_;
  base::IdTable ids_;
  std::deque<Thread> threads_;  // by index; they stay where they are
  std::array<Spelled, std::size_t{1} << kSpelledBits> spelled_{};
  base::IdMap<base::Id> os_threads_;
  std::size_t all_frames_ = 0;
  base::Time now_ = 0;
  base::Id pid_ = base::kNoId;
  bool told_process_ = false;

  std::shared_ptr<ChunkStartPool> pool_ = std::make_shared<ChunkStartPool>();
  std::unique_ptr<ChunkStart> start_;
  std::uint64_t chunk_ = 0;
  std::size_t frames_ = 0;
  std::size_t lines_ = 0;
  unsigned digits_ = 1;  // of the last timestamp, see parse_quick_head()
  SampleLine sample_;
  Line line_;
};

}  // namespace polytrace::format::tracelog
