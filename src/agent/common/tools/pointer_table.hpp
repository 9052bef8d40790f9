// SPDX-License-Identifier: Apache-2.0
// What the runtime's pointers mean to us: a number per address. Lookups wait for nothing, so they
// work in signal handlers and while the world stands still. Insertions wait for each other; whoever
// inserts holds the lock over telling what the number means, so that nobody uses a number untold.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace polytrace::agent {

class PointerTable {
 public:
  // 0: not known. Any thread, also in a signal handler.
  std::uint64_t find(const void* key) const {
    const Slots* slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr) return 0;
    for (std::size_t at = hash(key) >> slots->shift;; at = (at + 1) & slots->mask) {
      const void* found = slots->entries[at].key.load(std::memory_order_acquire);
      if (found == key) [[likely]]
        return slots->entries[at].value.load(std::memory_order_acquire);
      if (found == nullptr) return 0;
    }
  }

  // REQUIRES: lock() is held, `key` is not null. A value of 0 forgets the key. False: no memory.
  bool put(const void* key, std::uint64_t value);

  // Every key that is not forgotten, without the lock: those that come meanwhile may be missed.
  template <class Use>
  void for_each(Use use) const {
    const Slots* slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr) return;
    for (std::size_t i = 0; i <= slots->mask; ++i) {
      if (slots->entries[i].value.load(std::memory_order_acquire) == 0) continue;
      const void* key = slots->entries[i].key.load(std::memory_order_acquire);
      if (key != nullptr) use(key);  // a new key is stored behind its value
    }
  }

  void lock() { pthread_mutex_lock(&mutex_); }
  bool try_lock() { return pthread_mutex_trylock(&mutex_) == 0; }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  struct Entry {
    std::atomic<const void*> key;
    std::atomic<std::uint64_t> value;
  };
  struct Slots {
    std::size_t mask;
    unsigned shift;
    Entry* entries;
  };
  static std::uint64_t hash(const void* key) {
    return reinterpret_cast<std::uintptr_t>(key) / 8 * 0x9e3779b97f4a7c15U;
  }
  static bool store(const Slots& slots, const void* key, std::uint64_t value);
  static Slots* make(std::size_t size);
  bool grow();

  std::atomic<Slots*> slots_ = nullptr;
  std::size_t used_ = 0;  // keys, forgotten ones too
  std::size_t live_ = 0;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

// The lock of a table for as long as this lives.
class Locked {
 public:
  explicit Locked(PointerTable& table) : table_(table) { table_.lock(); }
  ~Locked() { table_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PointerTable& table_;
};

}  // namespace polytrace::agent
