// SPDX-License-Identifier: Apache-2.0
// The segment file (docs/formats/native.md, section 9): shared memory that threads record into and
// that a killed process leaves behind. Its pages are reserved on the disk and touched before any
// thread sees them, and used again and again.
//
// Units of 4 KiB; segments of 1, 4, 16 or 64 units. All of them are cleared when they are free. One
// mutex guards the lists; nobody holds it while writing, sleeping or calling the runtime.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/common/memory/status.hpp"
#include "base/types.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::agent {

inline constexpr std::uint32_t kSegmentSizes = 4;  // 1, 4, 16, 64 units
inline constexpr std::uint32_t kMostUnits = 64;
inline constexpr std::uint32_t kNoSegment = 0;  // unit 0 is the file's header

class Segments {
 public:
  // Creates `path` (new, mode 0600, not through a link) for at most `bytes` of segments, or private
  // shared memory when path is empty. Gives errno, 0 for success. Not thread-safe.
  int create(const char* path, std::uint64_t bytes, std::uint64_t stream);
  // From here on only who has the descriptor reaches it, and nothing is left behind.
  void forget_name();
  int descriptor() const { return fd_; }
  // A clean end: marks the file closed and removes it.
  void close();
  // The end of the session: memory is given back, addresses stay valid. Threads that are still in
  // the middle of an event store it into nothing.
  void retire();

  // A free segment of at most `units` (smaller ones when there is no other), or kNoSegment. With
  // `wait` false it does not wait for the mutex either. Its memory is zero but for the mark.
  std::uint32_t take(std::uint32_t units, bool wait);
  // The writer: cleared and free again. `used`: bytes behind the header that may not be zero.
  void give_back(std::uint32_t segment, std::size_t used);

  format::native::SegmentHeader* header(std::uint32_t segment) const;
  std::atomic<std::uint64_t>* words(std::uint32_t segment) const;
  std::uint32_t words_of(std::uint32_t segment) const;

  // Sleeps until a segment is given back, at most `nanoseconds`.
  void wait_for_free(base::Duration nanoseconds);
  void wake_all();

  bool exists() const { return memory_ != nullptr; }
  // At least a quarter of the cap is free or not mapped yet.
  bool roomy() const;
  std::uint64_t capacity() const { return cap_; }
  Status& status() const;

 private:
  struct Node {  // of the first unit of a segment
    std::uint32_t before;
    std::uint32_t after;
    std::uint8_t size;  // index of the size
    bool free;
  };
  int build(std::uint64_t bytes, std::uint64_t stream);
  bool grow();
  std::uint32_t pop(std::uint32_t size);
  void push(std::uint32_t size, std::uint32_t unit);
  void unlink(std::uint32_t unit);
  void merge(std::uint32_t unit);
  std::uint32_t take_locked(std::uint32_t size);

  std::byte* memory_ = nullptr;
  std::uint64_t cap_ = 0;    // bytes
  std::uint32_t units_ = 0;  // of the file, without its header
  std::uint32_t most_units_ = 0;
  std::atomic<std::uint32_t> free_units_ = 0;
  std::atomic<bool> grown_ = false;  // to the most
  std::uint32_t heads_[kSegmentSizes] = {};
  Node* nodes_ = nullptr;
  int fd_ = -1;
  bool exhausted_ = false;  // the disk gave no more
  char path_[4096] = {};
  mutable pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t freed_ = PTHREAD_COND_INITIALIZER;
};

}  // namespace polytrace::agent
