// SPDX-License-Identifier: Apache-2.0
#include "event/pump.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace polytrace::event {
namespace {

// Batches per worker. More than one evens out that they take unequal time.
constexpr std::size_t kSlots = 4;
// Beyond, the ordered work is what takes the time, and batches only take memory.
constexpr unsigned kMostWorkers = 16;

class Pump {
 public:
  Pump(Reader& reader, Consumer& consumer, const PumpOptions& options)
      : reader_(reader),
        consumer_(consumer),
        options_(options),
        workers_(options.workers != 0
                     ? options.workers
                     : std::clamp(std::thread::hardware_concurrency(), 1U, kMostWorkers)),
        slots_(workers_ == 1 ? 1 : workers_ * kSlots),
        ready_(slots_.size()),
        free_(workers_) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slots_[i].owner = static_cast<unsigned>(i % workers_);
      free_[slots_[i].owner].push_back(&slots_[i]);
    }
  }

  PumpOutcome run() {
    consumer_.begin(workers_);
    std::vector<std::thread> others;
    for (unsigned i = 1; i < workers_; ++i) others.emplace_back([this, i] { work(i); });
    work(0);
    for (std::thread& other : others) other.join();
    // What workers met beyond the last batch that was wanted depends on their race: not told.
    if (stopped_) outcome_.error.reset();
    else outcome_.notices.merge(reader_.notices());
    return std::move(outcome_);
  }

 private:
  // Used by one worker only, so that its memory stays in the cache of one core.
  struct Slot {
    unsigned owner = 0;
    Chunk chunk;
    Batch batch;
    base::Notices fetched;  // of the reader, up to this chunk
  };

  void work(unsigned worker) {
    while (Slot* slot = fetch(worker)) {
      reader_.decode(slot->chunk, slot->batch);
      consumer_.survey(slot->batch, worker);
      hand_in(slot);
    }
  }

  // The next chunk, or null when there is none.
  Slot* fetch(unsigned worker) {
    const auto lock = lock_fetching();
    if (ended_) return nullptr;
    Slot* slot = take_slot(worker);
    if (stopped_ || (options_.stop != nullptr && options_.stop->load())) ended_ = true;
    if (ended_) return nullptr;
    const auto more = reader_.fetch(slot->chunk);
    if (!more) outcome_.error = more.error();
    ended_ = !more || !*more;
    // At the end they are those of settle(), too, which may be at work: nobody asks this slot.
    if (!ended_) slot->fetched = reader_.notices();
    if (options_.progress) options_.progress(reader_.source());
    return ended_ ? nullptr : slot;
  }

  // A fetch takes some microseconds. To sleep and be woken takes longer.
  std::unique_lock<std::mutex> lock_fetching() {
    constexpr int kPatience = 50;
    std::unique_lock lock(fetching_, std::try_to_lock);
    for (int i = 0; i < kPatience && !lock; ++i) {
      std::this_thread::yield();
      static_cast<void>(lock.try_lock());
    }
    if (!lock) lock.lock();
    return lock;
  }

  Slot* take_slot(unsigned worker) {
    std::unique_lock lock(handing_);
    std::vector<Slot*>& free = free_[worker];
    // Waits for more than one, so that it is not woken for each.
    if (free.empty()) room_.wait(lock, [&free] { return free.size() > kSlots / 2; });
    Slot* slot = free.back();
    free.pop_back();
    return slot;
  }

  // Whoever hands in the batch whose turn it is consumes it, and all that follow and are ready.
  void hand_in(Slot* slot) {
    std::unique_lock lock(handing_);
    ready_[slot->chunk.sequence % ready_.size()] = slot;
    if (consuming_) return;
    consuming_ = true;
    while (Slot* next = std::exchange(ready_[turn_ % ready_.size()], nullptr)) {
      lock.unlock();
      consume(*next);
      lock.lock();
      ++turn_;
      free_[next->owner].push_back(next);
      if (free_[next->owner].size() > kSlots / 2) room_.notify_one();
    }
    consuming_ = false;
  }

  void consume(Slot& slot) {
    if (stopped_) return;
    Batch& batch = slot.batch;
    reader_.settle(slot.chunk, batch);
    outcome_.tally.merge(batch.tally);
    outcome_.notices.merge(batch.notices);
    if (consumer_.consume(batch)) return;
    outcome_.notices.merge(slot.fetched);
    stopped_ = true;
  }

  Reader& reader_;
  Consumer& consumer_;
  const PumpOptions& options_;
  PumpOutcome outcome_;
  const unsigned workers_;
  std::atomic<bool> stopped_{false};

  std::mutex fetching_;  // guards the reader's fetch(), and:
  bool ended_ = false;

  std::mutex handing_;  // guards what follows
  std::condition_variable room_;
  std::vector<Slot> slots_;
  std::vector<Slot*> ready_;              // by sequence, round and round
  std::vector<std::vector<Slot*>> free_;  // by worker
  std::uint64_t turn_ = 0;                // the sequence of the batch to consume next
  bool consuming_ = false;
};

}  // namespace

PumpOutcome pump(Reader& reader, Consumer& consumer, const PumpOptions& options) {
  return Pump(reader, consumer, options).run();
}

}  // namespace polytrace::event
