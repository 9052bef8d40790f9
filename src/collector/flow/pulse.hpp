// SPDX-License-Identifier: Apache-2.0
// What is known of a stream's program by who does not work on it: who it is in the store, and how
// it did in its last windows. Its worker tells, any thread asks.
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "collector/aggregate/labels.hpp"
#include "collector/aggregate/rows.hpp"

namespace polytrace::collector {

class Pulse {
 public:
  struct Who {
    warehouse::Labels labels{};
    std::uint64_t series = 0;  // 0: it has told nothing yet
  };
  // The figures of a window of 10 s that is closed.
  struct Beat {
    std::uint32_t t = 0;  // its begin, in seconds of the program's clock since 1970
    std::uint64_t cpu_ns = 0, pause_ns = 0, events = 0, lost = 0;
  };

  // Rows of it that go to the store.
  void learn(const Rows& rows) {
    const std::scoped_lock lock(mutex_);
    for (const warehouse::Series& row : rows.of<warehouse::Series>()) {
      who_ = {{row.service_name, row.version, row.host, row.instance, row.runtime, row.agent, {}},
              row.series};
      for (std::size_t i = 0; i < row.label_names.size(); ++i)
        who_.labels.free.emplace_back(row.label_names[i], row.label_values[i]);
      is_certain_ = true;
    }
    for (const warehouse::Health10s& row : rows.of<warehouse::Health10s>()) {
      beats_.push_back({row.t, row.cpu_ns, row.pause_ns, row.events, row.lost});
      if (beats_.size() > kMostBeats) beats_.pop_front();
    }
  }
  // The wall time of its last event; who it is as far as it has told, until rows tell it.
  void note(base::Time last) {
    const std::scoped_lock lock(mutex_);
    last_ = last;
  }
  bool is_certain() const {
    const std::scoped_lock lock(mutex_);
    return is_certain_;
  }
  void suppose(Who who) {
    const std::scoped_lock lock(mutex_);
    if (!is_certain_) who_ = std::move(who);
  }

  Who who() const {
    const std::scoped_lock lock(mutex_);
    return who_;
  }
  base::Time last() const {
    const std::scoped_lock lock(mutex_);
    return last_;
  }
  // The oldest first.
  std::vector<Beat> beats() const {
    const std::scoped_lock lock(mutex_);
    return {beats_.begin(), beats_.end()};
  }

 private:
  static constexpr std::size_t kMostBeats = 72;  // 12 minutes

  mutable std::mutex mutex_;
  Who who_{};
  bool is_certain_ = false;
  base::Time last_ = base::kNoTime;
  std::deque<Beat> beats_{};
};

}  // namespace polytrace::collector
