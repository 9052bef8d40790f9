// SPDX-License-Identifier: Apache-2.0
// What a front end lends to what it asks the service: who looks at how far a pass has come, and who
// may end it. All of it may be left out: nobody looks, nothing stops. The service may be asked by
// several threads at once, each with inputs of its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/io/source.hpp"

namespace polytrace::service {

// Looks at one pass; gone with its end.
class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;

  // Now and then, never concurrently.
  virtual void update(const base::Source& source) = 0;
};

struct Asking {
  // Begins to look at a pass. Null, or giving null: nobody does.
  std::function<std::unique_ptr<Watcher>()> watch{};
  // Once true, passes end early and say so. Outlives what it is lent to.
  const std::atomic<bool>* stop = nullptr;
  // What is written now is worth waiting for, where the program is to be killed.
  std::function<void()> finishing{};
  // A folder of plain files that is to go if the program is killed; empty: none any more.
  std::function<void(const std::string& folder)> draft_folder{};

  bool is_stopped() const { return stop != nullptr && *stop; }
  std::unique_ptr<Watcher> watcher() const { return watch ? watch() : nullptr; }
  void begin_finishing() const {
    if (finishing) finishing();
  }
  void tell_draft(const std::string& folder) const {
    if (draft_folder) draft_folder(folder);
  }
};

}  // namespace polytrace::service
