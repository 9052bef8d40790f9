// SPDX-License-Identifier: Apache-2.0
// The thread that brings what rules keep where it stays: reads the blocks, writes them as objects
// where a place for these is configured, tells the store. What fails is tried again, after 1 s
// doubling to 60 s; nobody waits for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "collector/aggregate/rows.hpp"
#include "collector/objects/pin.hpp"
#include "warehouse/objects/objects.hpp"

namespace polytrace::collector {

// What is told of pins: a warning, or news, of a stream or of none.
using TellPin = std::function<void(bool is_warning, std::uint64_t stream, std::string text)>;

class PinSender {
 public:
  struct Options {
    std::filesystem::path folder;         // the collector's
    std::string edge;                     // how the store calls it
    warehouse::ObjectsOptions objects{};  // `to` empty: blocks stay here
  };
  struct Hands {
    // Of a database; when it returns they are on the disk. Errors: they are not taken now.
    std::function<base::result<void>(Rows&&, const std::string& database)> rows;
    std::function<void(Pin&&)> done;  // what it was given, kept now
    TellPin tell;
  };

  // Errors: those of Objects::open.
  static base::result<std::unique_ptr<PinSender>> open(Options options, Hands hands);
  PinSender(const PinSender&) = delete;
  PinSender& operator=(const PinSender&) = delete;
  ~PinSender() { stop(); }

  // Any thread. One that is whole.
  void add(Pin pin);
  // What the store is told beside: windows that are not kept.
  void add(warehouse::Trace row, std::string database);
  // What is not done is left as it is.
  void stop();

  std::uint64_t written() const { return written_; }  // objects
  std::uint64_t retried() const { return retried_; }
  std::uint64_t waiting() const;

 private:
  struct Row {
    warehouse::Trace row;
    std::string database;
  };
  PinSender(Options options, Hands hands, std::unique_ptr<warehouse::Objects> objects);

  void run();
  bool try_one(Pin& pin);
  base::result<void> send(const Pin& pin);
  base::result<void> send_part(const Pin& pin, std::uint64_t first, std::uint64_t last);
  base::result<void> tell_store(warehouse::Trace row, const std::string& database) const;
  bool send_rows();

  Options options_;
  Hands hands_;
  std::unique_ptr<warehouse::Objects> objects_;  // the thread's; null: none
  mutable std::mutex mutex_;
  std::condition_variable come_;
  std::deque<Pin> pins_;
  std::deque<Row> rows_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> retried_{0};
  bool fails_ = false;  // the thread's
  std::thread thread_;
};

}  // namespace polytrace::collector
