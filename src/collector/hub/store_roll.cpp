// SPDX-License-Identifier: Apache-2.0
#include "collector/hub/store_roll.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/wall_clock.hpp"

namespace polytrace::collector {
namespace {

std::uint64_t now_seconds() { return static_cast<std::uint64_t>(base::wall_seconds()); }

class OwnStoreRoll final : public StoreRoll {
 public:
  OwnStoreRoll(const Config& config, const RollStore& roll, Figures& figures, Tell tell)
      : roll_(roll), figures_(figures), tell_(std::move(tell)) {
    for (const Tenant& tenant : config.tenants) databases_.push_back(tenant.database);
    if (databases_.empty()) databases_.emplace_back();
    figures_.rolled_at = now_seconds();
    thread_ = std::thread([this] { work(); });
  }
  ~OwnStoreRoll() override {
    {
      const std::scoped_lock lock(mutex_);
      stop_ = true;
    }
    end_.notify_all();
    thread_.join();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      lock.unlock();
      run();
      lock.lock();
      end_.wait_for(lock, kEvery, [this] { return stop_.load(); });
    }
  }

  void run() {
    const std::uint64_t began = now_seconds();
    bool is_whole = true;
    for (const std::string& database : databases_) {
      const Rolled rolled = roll_(database, stop_);
      if (stop_) return;
      for (const std::string& text : rolled.done) tell_({Weight::news, "roll", {}, 0, text});
      for (const std::string& text : rolled.faults)
        tell_({Weight::warning, "roll", {}, 0, text + "; tried again in ten minutes"});
      is_whole &= rolled.faults.empty();
    }
    if (is_whole) figures_.rolled_at = began;
    else ++figures_.roll_failures_total;
  }

  const RollStore& roll_;
  Figures& figures_;
  Tell tell_;
  std::vector<std::string> databases_;
  std::mutex mutex_;
  std::condition_variable end_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace

std::unique_ptr<StoreRoll> StoreRoll::make(const Config& config, const RollStore& roll,
                                           Figures& figures, Tell tell) {
  return std::make_unique<OwnStoreRoll>(config, roll, figures, std::move(tell));
}

}  // namespace polytrace::collector
