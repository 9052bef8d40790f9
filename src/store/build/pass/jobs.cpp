// SPDX-License-Identifier: Apache-2.0
#include "store/build/pass/jobs.hpp"

#include <span>
#include <utility>

namespace polytrace::store {
namespace {

// Enough that no encoder waits for the one that makes the blocks.
constexpr std::size_t kMostJobs = 32;

}  // namespace

Jobs::Jobs(IndexWriter& writer, unsigned encoders) : writer_(writer) {
  for (unsigned i = 0; i < encoders; ++i) encoders_.emplace_back([this] { work(); });
}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& encoder : encoders_) encoder.join();
}

void Jobs::add(Piece piece, Make make, Behind behind) {
  std::unique_lock lock(mutex_);
  // Who would wait helps.
  while (jobs_.size() >= kMostJobs) {
    if (Job* const waiting = next_waiting(); waiting != nullptr) {
      make_one(lock, *waiting);
      write_made(lock);
    } else {
      changed_.wait(lock, [this] { return jobs_.size() < kMostJobs || next_waiting() != nullptr; });
    }
  }
  jobs_.push_back({std::move(piece), std::move(make), std::move(behind)});
  if (encoders_.empty()) {
    make_one(lock, jobs_.back());
    write_made(lock);
  } else {
    lock.unlock();
    changed_.notify_all();
  }
}

base::result<void> Jobs::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty() && !writing_; });
  if (error_) return tl::unexpected(*error_);
  return {};
}

bool Jobs::failed() const {
  const std::lock_guard lock(mutex_);
  return error_.has_value();
}

void Jobs::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    Job* job = nullptr;
    changed_.wait(lock, [&] { return (job = next_waiting()) != nullptr || ending_; });
    if (job == nullptr) return;
    make_one(lock, *job);
    write_made(lock);
  }
}

// In order: who makes a payload may wait for one that was begun before.
Jobs::Job* Jobs::next_waiting() {
  for (Job& job : jobs_)
    if (job.stage == Stage::waiting) return &job;
  return nullptr;
}

void Jobs::make_one(std::unique_lock<std::mutex>& lock, Job& job) {
  job.stage = Stage::being_made;
  lock.unlock();
  if (job.make) job.make(job.piece);
  job.make = nullptr;
  lock.lock();
  job.stage = Stage::made;
}

// Of all who find the first job made, one writes.
void Jobs::write_made(std::unique_lock<std::mutex>& lock) {
  if (writing_) return;
  writing_ = true;
  while (!jobs_.empty() && jobs_.front().stage == Stage::made) {
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    const bool write_it = !error_;
    lock.unlock();
    changed_.notify_all();
    const base::result<void> written = write_it ? write(job) : base::result<void>();
    lock.lock();
    if (!written) error_ = written.error();
  }
  writing_ = false;
  changed_.notify_all();
}

base::result<void> Jobs::write(Job& job) {
  std::vector<Piece> pieces;
  const auto append = [&](const Piece& piece) {
    return writer_.append(piece.entry, std::as_bytes(std::span(piece.payload)), piece.packing);
  };
  if (job.piece.entry.kind != 0)
    if (auto written = append(job.piece); !written) return written;
  if (job.behind) job.behind(pieces);
  for (const Piece& piece : pieces)
    if (auto written = append(piece); !written) return written;
  return {};
}

}  // namespace polytrace::store
