// SPDX-License-Identifier: Apache-2.0
#include "agent/common/memory/segments.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "agent/common/memory/clock.hpp"
#include "agent/common/memory/pages.hpp"
#include "agent/common/tools/guard.hpp"

namespace polytrace::agent {
namespace {

using format::native::kUnit;
using format::native::SegmentHeader;
using format::native::SegmentsHeader;
using format::native::SegmentsState;
using format::native::SegmentState;

// Grown by this much; one of the largest segments fits in, and the sizes divide it.
constexpr std::uint32_t kGrowth = 4 * kMostUnits;
constexpr std::uint64_t kLeastBytes = kGrowth * kUnit;
constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30;

constexpr std::uint32_t units_of(std::uint32_t size) { return 1U << (2 * size); }

constexpr std::uint32_t size_for(std::uint32_t units) {
  std::uint32_t size = 0;
  while (size + 1 < kSegmentSizes && units_of(size) < units) ++size;
  return size;
}

int open_file(const char* path) {
  if (*path == '\0') return memfd_create("polytrace segments", MFD_CLOEXEC);
  return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

// Pages that exist on the disk and in memory: a store into them can neither fail nor wait.
bool prepare(int fd, std::byte* at, std::uint64_t offset, std::uint64_t bytes) {
  rlimit most{};  // beyond it the process gets a signal
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < offset + bytes) return false;
  if (posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0) return false;
  void* const wanted = at + offset;
  if (mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
           static_cast<off_t>(offset)) != wanted)
    return false;
  madvise(wanted, bytes, MADV_DONTFORK);
  // MAP_POPULATE maps shared pages for reading only.
  for (std::uint64_t i = 0; i < bytes; i += kUnit)
    reinterpret_cast<std::atomic<std::uint64_t>*>(at + offset + i)
        ->fetch_add(0, std::memory_order_relaxed);
  return true;
}

SegmentHeader cleared() {
  SegmentHeader header;
  header.mark = 0;
  header.content = {};
  header.thread = 0;
  return header;
}

}  // namespace

int Segments::create(const char* path, std::uint64_t bytes, std::uint64_t stream) {
  fd_ = open_file(path);
  if (fd_ < 0) return errno;
  std::snprintf(path_, sizeof path_, "%s", path);
  const int error = build(bytes, stream);
  if (error == 0) return 0;
  if (*path_ != '\0') ::unlink(path_);
  ::close(fd_);
  fd_ = -1;
  memory_ = nullptr;
  return error;
}

int Segments::build(std::uint64_t bytes, std::uint64_t stream) {
  cap_ = std::clamp(bytes, kLeastBytes, kMostBytes) / kLeastBytes * kLeastBytes;
  most_units_ = static_cast<std::uint32_t>(cap_ / kUnit);
  void* const reserved =
      mmap(nullptr, kUnit + cap_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  nodes_ = zeroed_pages<Node>(most_units_ + 1);
  if (reserved == MAP_FAILED || nodes_ == nullptr) return ENOMEM;
  memory_ = static_cast<std::byte*>(reserved);
  if (!prepare(fd_, memory_, 0, kUnit)) return ENOSPC;
  auto* const header = new (memory_) SegmentsHeader;
  header->process = static_cast<std::uint32_t>(getpid());
  header->stream = stream;
  new (memory_ + kStatusOffset) Status;
  const Guard guard(mutex_);
  return grow() ? 0 : ENOSPC;
}

void Segments::forget_name() {
  if (*path_ != '\0') ::unlink(path_);
  *path_ = '\0';
}

void Segments::close() {
  if (memory_ == nullptr) return;
  reinterpret_cast<SegmentsHeader*>(memory_)->state = SegmentsState::closed;
  if (*path_ != '\0') ::unlink(path_);
}

void Segments::retire() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  if (memory_ == nullptr) return;
  // The status stays readable, in private memory as the rest.
  Status last;
  std::memcpy(static_cast<void*>(&last), &status(), sizeof last);
  const std::uint64_t bytes = kUnit + std::uint64_t{units_} * kUnit;
  mmap(memory_, bytes, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  std::memcpy(memory_ + kStatusOffset, static_cast<void*>(&last), sizeof last);
}

std::uint32_t Segments::take(std::uint32_t units, bool wait) {
  if (free_units_.load(std::memory_order_relaxed) == 0 && grown_.load(std::memory_order_relaxed))
    return kNoSegment;
  if (!wait && pthread_mutex_trylock(&mutex_) != 0) return kNoSegment;
  if (wait) pthread_mutex_lock(&mutex_);
  const std::uint32_t segment = take_locked(size_for(units));
  pthread_mutex_unlock(&mutex_);
  return segment;
}

std::uint32_t Segments::take_locked(std::uint32_t size) {
  std::uint32_t unit = pop(size);
  if (unit == kNoSegment && grow()) unit = pop(size);
  while (unit == kNoSegment && size > 0) unit = pop(--size);
  if (unit == kNoSegment) return kNoSegment;
  const std::uint32_t units = units_of(nodes_[unit].size);
  free_units_.fetch_sub(units, std::memory_order_relaxed);
  status().segment_bytes_used.fetch_add(units * kUnit, std::memory_order_relaxed);
  auto* const fresh = header(unit);
  *fresh = SegmentHeader{};
  fresh->units = units;
  return unit;
}

void Segments::give_back(std::uint32_t segment, std::size_t used) {
  auto* const old = header(segment);
  const std::uint32_t units = old->units;
  const std::size_t room = units * kUnit - sizeof(SegmentHeader);
  std::memset(reinterpret_cast<std::byte*>(old) + sizeof(SegmentHeader), 0, std::min(used, room));
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(&old->state),
                   static_cast<std::uint32_t>(SegmentState::free), __ATOMIC_RELEASE);
  const Guard guard(mutex_);
  nodes_[segment].free = true;
  push(nodes_[segment].size, segment);
  free_units_.fetch_add(units, std::memory_order_relaxed);
  status().segment_bytes_used.fetch_sub(units * kUnit, std::memory_order_relaxed);
  merge(segment);
  pthread_cond_broadcast(&freed_);
}

SegmentHeader* Segments::header(std::uint32_t segment) const {
  return reinterpret_cast<SegmentHeader*>(memory_ + std::uint64_t{segment} * kUnit);
}
std::atomic<std::uint64_t>* Segments::words(std::uint32_t segment) const {
  return reinterpret_cast<std::atomic<std::uint64_t>*>(header(segment) + 1);
}
std::uint32_t Segments::words_of(std::uint32_t segment) const {
  const std::size_t bytes = header(segment)->units * kUnit - sizeof(SegmentHeader);
  return static_cast<std::uint32_t>(bytes / sizeof(std::uint64_t));
}
Status& Segments::status() const { return *reinterpret_cast<Status*>(memory_ + kStatusOffset); }

void Segments::wait_for_free(base::Duration nanoseconds) {
  const base::Time until = monotonic_now() + nanoseconds;
  constexpr base::Time kSecond = 1'000'000'000;
  const timespec at{static_cast<time_t>(until / kSecond), static_cast<long>(until % kSecond)};
  const Guard guard(mutex_);
  if (free_units_.load(std::memory_order_relaxed) == 0)
    pthread_cond_clockwait(&freed_, &mutex_, CLOCK_MONOTONIC, &at);
}

void Segments::wake_all() {
  const Guard guard(mutex_);
  pthread_cond_broadcast(&freed_);
}

bool Segments::roomy() const {
  const Guard guard(mutex_);
  const std::uint32_t left =
      free_units_.load(std::memory_order_relaxed) + (exhausted_ ? 0 : most_units_ - units_);
  return left >= (exhausted_ ? units_ : most_units_) / 4;
}

bool Segments::grow() {
  if (exhausted_ || units_ + kGrowth > most_units_) return false;
  const std::uint64_t at = kUnit + std::uint64_t{units_} * kUnit;
  exhausted_ = !prepare(fd_, memory_, at, kGrowth * kUnit);
  grown_.store(exhausted_ || units_ + 2 * kGrowth > most_units_, std::memory_order_relaxed);
  if (exhausted_) return false;
  const std::uint32_t first = units_ + 1;
  units_ += kGrowth;
  reinterpret_cast<SegmentsHeader*>(memory_)->units = units_;
  status().segment_bytes.store(std::uint64_t{units_} * kUnit, std::memory_order_relaxed);
  for (std::uint32_t unit = first; unit < first + kGrowth; unit += kMostUnits) {
    nodes_[unit] = {0, 0, kSegmentSizes - 1, true};
    push(kSegmentSizes - 1, unit);
  }
  free_units_.fetch_add(kGrowth, std::memory_order_relaxed);
  return true;
}

// A free one of this size, from a larger one if need be: the rest becomes four less one of the
// next.
std::uint32_t Segments::pop(std::uint32_t size) {
  std::uint32_t from = size;
  while (from < kSegmentSizes && heads_[from] == kNoSegment) ++from;
  if (from == kSegmentSizes) return kNoSegment;
  const std::uint32_t unit = heads_[from];
  unlink(unit);
  for (; from > size; --from) {
    const std::uint32_t step = units_of(from - 1);
    for (std::uint32_t i = 1; i < 4; ++i) {
      nodes_[unit + i * step].free = true;
      push(from - 1, unit + i * step);
    }
  }
  nodes_[unit].size = static_cast<std::uint8_t>(size);
  nodes_[unit].free = false;
  return unit;
}

void Segments::push(std::uint32_t size, std::uint32_t unit) {
  Node& node = nodes_[unit];
  node.size = static_cast<std::uint8_t>(size);
  node.before = kNoSegment;
  node.after = heads_[size];
  if (node.after != kNoSegment) nodes_[node.after].before = unit;
  heads_[size] = unit;
}

void Segments::unlink(std::uint32_t unit) {
  const Node& node = nodes_[unit];
  if (node.before != kNoSegment) nodes_[node.before].after = node.after;
  else heads_[node.size] = node.after;
  if (node.after != kNoSegment) nodes_[node.after].before = node.before;
}

// Four free neighbours of one size become one of the next.
void Segments::merge(std::uint32_t unit) {
  for (std::uint32_t size = nodes_[unit].size; size + 1 < kSegmentSizes; ++size) {
    const std::uint32_t step = units_of(size);
    const std::uint32_t first = (unit - 1) / (4 * step) * (4 * step) + 1;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const Node& node = nodes_[first + i * step];
      if (!node.free || node.size != size) return;
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
      unlink(first + i * step);
      nodes_[first + i * step].free = false;
      if (i != 0) *this->header(first + i * step) = cleared();  // words of the whole are there
    }
    nodes_[first].free = true;
    push(size + 1, first);
    unit = first;
  }
}

}  // namespace polytrace::agent
