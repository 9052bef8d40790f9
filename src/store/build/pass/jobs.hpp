// SPDX-License-Identifier: Apache-2.0
// Payloads are made by several threads and written by one at a time, in the order in which they
// were asked for: the file has the same bytes however many threads there are.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "store/file/commits.hpp"
#include "store/file/directory.hpp"

namespace polytrace::store {

class Jobs {
 public:
  // Completes the piece's entry and makes its payload. Any thread.
  using Make = std::function<void(Piece& piece)>;
  // Called when the piece is written, in the order of the pieces, one at a time: what it puts into
  // the list is written next.
  using Behind = std::function<void(std::vector<Piece>& more)>;

  // `encoders` beside the caller's thread; 0: all is done in add(). The writer must outlive it.
  Jobs(IndexWriter& writer, unsigned encoders);
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;
  ~Jobs();

  // Waits while too much is on its way. One thread at a time.
  void add(Piece piece, Make make = {}, Behind behind = {});
  // Waits until everything is written. Errors: the first of the writer.
  base::result<void> wait();
  bool failed() const;

 private:
  enum class Stage : std::uint8_t { waiting, being_made, made };
  struct Job {
    Piece piece;
    Make make;
    Behind behind;
    Stage stage = Stage::waiting;
  };

  void work();
  // The lock is held before and behind.
  static void make_one(std::unique_lock<std::mutex>& lock, Job& job);
  void write_made(std::unique_lock<std::mutex>& lock);
  base::result<void> write(Job& job);
  Job* next_waiting();

  IndexWriter& writer_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Job> jobs_;  // in order
  bool writing_ = false;
  bool ending_ = false;
  std::optional<base::Error> error_;
  std::vector<std::thread> encoders_;
};

}  // namespace polytrace::store
