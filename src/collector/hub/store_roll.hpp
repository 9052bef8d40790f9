// SPDX-License-Identifier: Apache-2.0
// A hub that keeps its store: every ten minutes what is due there is rolled up, of all tenants, on
// a thread of its own. How is handed in. What goes wrong is told and counted, and tried again the
// next time. Several hubs may do so at once.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collector/config/config.hpp"
#include "collector/flow/figures.hpp"

namespace polytrace::collector {

// What was done to one database, of all shards.
struct Rolled {
  std::vector<std::string> done{};    // where there was anything to do
  std::vector<std::string> faults{};  // none: all of it is
};
// `database`: empty where it is the store's own. By one thread; ends soon once `stop` is true.
using RollStore = std::function<Rolled(const std::string& database, const std::atomic<bool>& stop)>;

class StoreRoll {
 public:
  static constexpr std::chrono::minutes kEvery{10};

  // Begins at once. All outlive it; `tell` is called by its thread. REQUIRES: `roll` is not null.
  static std::unique_ptr<StoreRoll> make(const Config& config, const RollStore& roll,
                                         Figures& figures, Tell tell);
  // What is under way is broken off: the next run does it again.
  virtual ~StoreRoll() = default;
  StoreRoll(const StoreRoll&) = delete;
  StoreRoll& operator=(const StoreRoll&) = delete;

 protected:
  StoreRoll() = default;
};

}  // namespace polytrace::collector
