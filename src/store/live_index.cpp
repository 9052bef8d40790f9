// SPDX-License-Identifier: Apache-2.0
#include "store/live_index.hpp"

#include <cstdio>
#include <utility>

#include "base/codes.hpp"

namespace polytrace::store {

// Gives batches to the builder while nobody asks it.
class LiveIndex::Guarded final : public event::Consumer {
 public:
  explicit Guarded(LiveIndex& index) : index_(index) {}
  bool consume(const event::Batch& batch) override {
    const std::lock_guard lock(index_.mutex_);
    return index_.builder_->consume(batch);
  }

 private:
  LiveIndex& index_;
};

base::result<std::unique_ptr<LiveIndex>> LiveIndex::begin(event::Reader& reader, IndexJob job,
                                                          Pace pace) {
  auto writer = IndexWriter::create(job.path + ".new", head_of(job));
  if (!writer) return base::Unexpected(writer.error());
  return std::unique_ptr<LiveIndex>(
      new LiveIndex(reader, std::move(job), pace, std::move(*writer)));
}

LiveIndex::LiveIndex(event::Reader& reader, IndexJob job, Pace pace, IndexWriter writer)
    : reader_(reader),
      job_(std::move(job)),
      pace_(pace),
      head_(writer.head()),
      writer_(std::move(writer)) {
  builder_.emplace(writer_, job_.build);
  reading_ = std::thread([this] { read(); });
  committing_ = std::thread([this] { commit_now_and_then(); });
}

LiveIndex::~LiveIndex() { wait(); }

void LiveIndex::read() {
  Guarded guarded(*this);
  event::PumpOutcome outcome = event::pump(reader_, guarded, job_.pump);
  const std::lock_guard lock(mutex_);
  outcome_ = std::move(outcome);
  has_ended_ = true;
  ending_.notify_all();
}

// A failed commit is told by finish().
void LiveIndex::commit_now_and_then() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, pace_.commit, [this] { return has_ended_; }))
    static_cast<void>(builder_->commit());
}

void LiveIndex::wait() {
  if (reading_.joinable()) reading_.join();
  if (committing_.joinable()) committing_.join();
}

bool LiveIndex::has_ended() const {
  const std::lock_guard lock(mutex_);
  return has_ended_;
}

base::result<std::shared_ptr<const Store>> LiveIndex::latest() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t events = builder_ ? builder_->events() : sealed_events_;
  const auto now = Clock::now();
  if (events == sealed_events_ || (sealed_ && now - sealed_at_ < pace_.seal)) return sealed_;
  auto view = builder_->seal();
  if (!view) return base::Unexpected(view.error());
  auto frames = IndexFrames::open(std::move(*view));
  if (!frames) return base::Unexpected(frames.error());
  sealed_ = Store::of(std::move(*frames));
  sealed_events_ = events;
  sealed_at_ = now;
  return sealed_;
}

base::result<event::PumpOutcome> LiveIndex::finish(const SourceIdentity& identity) {
  wait();
  const std::lock_guard lock(mutex_);
  head_.source = identity.facts;
  head_.looked = identity.looked;
  head_.whole = identity.whole;
  head_.fingerprint = head_.covered = identity.fingerprint;
  if (auto done = builder_->finish(outcome_, IndexState::complete, head_); !done)
    return base::Unexpected(done.error());
  builder_.reset();
  if (std::rename((job_.path + ".new").c_str(), job_.path.c_str()) != 0)
    return base::system_fault(base::Code::write_failed);
  auto whole = Store::open(job_.path);
  if (!whole) return base::Unexpected(whole.error());
  sealed_ = std::move(*whole);
  sealed_events_ = sealed_->facts().totals.events;
  return std::move(outcome_);
}

}  // namespace polytrace::store
