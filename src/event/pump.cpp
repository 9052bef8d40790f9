// SPDX-License-Identifier: Apache-2.0
#include "event/pump.hpp"

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

namespace polytrace::event {
namespace {

class Pump {
 public:
  Pump(Reader& reader, Consumer& consumer, const PumpOptions& options)
      : reader_(reader), consumer_(consumer), options_(options) {}

  PumpOutcome run() {
    const unsigned workers = worker_count();
    consumer_.begin(workers);
    std::vector<std::thread> others;
    for (unsigned i = 1; i < workers; ++i) others.emplace_back([this, i] { work(i); });
    work(0);
    for (std::thread& other : others) other.join();
    outcome_.notices.merge(reader_.notices());
    return std::move(outcome_);
  }

 private:
  unsigned worker_count() const {
    return options_.workers != 0 ? options_.workers
                                 : std::max(1U, std::thread::hardware_concurrency());
  }

  void work(unsigned worker) {
    Chunk chunk;
    Batch batch;
    while (fetch(chunk)) {
      reader_.decode(chunk, batch);
      consumer_.survey(batch, worker);
      take_turn(chunk.sequence);
      if (!stopped_) consume(batch);
      pass_turn(chunk.sequence + 1);
    }
  }

  bool fetch(Chunk& chunk) {
    const std::lock_guard lock(fetching_);
    if (ended_ || stopped_ || (options_.stop != nullptr && options_.stop->load())) return false;
    const auto more = reader_.fetch(chunk);
    if (!more) outcome_.error = more.error();
    ended_ = !more || !*more;
    return !ended_;
  }

  void consume(Batch& batch) {
    reader_.settle(batch);
    outcome_.tally.merge(batch.tally);
    outcome_.notices.merge(batch.notices);
    if (options_.progress) {
      const std::lock_guard lock(fetching_);  // the source belongs to fetch()
      options_.progress(reader_.source());
    }
    if (!consumer_.consume(batch)) stopped_ = true;
  }

  void take_turn(std::uint64_t sequence) {
    for (;;) {
      const std::uint64_t now = turn_.load(std::memory_order_acquire);
      if (now == sequence) return;
      turn_.wait(now, std::memory_order_acquire);
    }
  }
  void pass_turn(std::uint64_t sequence) {
    turn_.store(sequence, std::memory_order_release);
    turn_.notify_all();
  }

  Reader& reader_;
  Consumer& consumer_;
  const PumpOptions& options_;
  PumpOutcome outcome_;
  std::mutex fetching_;
  bool ended_ = false;  // guarded by fetching_
  std::atomic<std::uint64_t> turn_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace

PumpOutcome pump(Reader& reader, Consumer& consumer, const PumpOptions& options) {
  return Pump(reader, consumer, options).run();
}

}  // namespace polytrace::event
