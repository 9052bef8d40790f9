// SPDX-License-Identifier: Apache-2.0
// Where the stream goes: a file, a converter that makes another format of it, or a descriptor that
// somebody else opened. One thread at a time. All signals must be blocked in threads that write
// (a closed pipe, a file too large).
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/common/options/options.hpp"
#include "agent/common/tools/faults.hpp"
#include "base/types.hpp"

namespace polytrace::agent {

class Output {
 public:
  // The file of options.file, created (new, 0600, never through a link). `fd` other than -1: that
  // instead, and the output closes it at the end. False with the reason.
  bool open(const Options& options, int fd, Faults& faults);
  bool converts() const { return converts_; }
  // Before the first write(): with another format than native, the converter, which writes the file
  // from our stream, starts. It gets the descriptor of the segment file, too: when this process is
  // killed, it takes what is left there. False with the reason.
  bool begin(const Options& options, int segments, Faults& faults);

  // Writes all of it, or gives errno: ETIMEDOUT when a pipe or socket took nothing for as long as
  // give_up_at() allows. After an error a file ends at the last whole write.
  int write(const void* bytes, std::size_t size);
  // CLOCK_MONOTONIC from which on write() no longer waits for a reader. Any thread.
  void give_up_at(base::Time time) { give_up_.store(time, std::memory_order_relaxed); }
  // Forces a file to the disk, ends and awaits the converter (until give_up_at()). Gives errno.
  int close();
  // Recording did not begin: a file that open() made goes away.
  void discard();

  // Whether the disk that the output is on has less left than `min_free` (kAuto: least_free()).
  bool is_short_of_disk(std::uint64_t min_free) const;
  // The file people will look for, or "descriptor N".
  const char* name() const { return name_; }
  // Where the segment file belongs: the folder of the file, or a folder for temporary files; with a
  // name that tells the stream. "" for a converter, which needs no name.
  void segments_path(const Options& options, std::uint64_t stream, char* path,
                     std::size_t size) const;
  std::uint64_t written() const { return written_; }

 private:
  bool open_file(Faults& faults);
  int wait_writable();
  int await_converter();

  int fd_ = -1;
  pid_t child_ = -1;
  bool is_file_ = false;
  bool named_ = false;  // name_ is a path
  bool converts_ = false;
  std::uint64_t written_ = 0;
  std::atomic<base::Time> give_up_ = INT64_MAX;
  char name_[4096] = {};
};

// What stays free of a disk of so many bytes where nobody says how much: a twentieth, at least 64
// MiB and at most 2 GiB; of a disk too small for that, a quarter.
std::uint64_t least_free(std::uint64_t disk);

// Of an output that has no name of its own, to be expanded: with the usual ending of the format.
std::string default_name(std::string_view format);

// `%p` becomes the process id, `%t` the time as 20260131-235959, `%%` a percent sign.
std::string expanded_name(std::string_view name);

}  // namespace polytrace::agent
