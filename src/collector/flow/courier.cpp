// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/courier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{1000};
constexpr milliseconds kMostWait{60'000};
constexpr milliseconds kNothing{1000};
constexpr unsigned kRefusalsOfAll = 3;

}  // namespace

Courier::Courier(Outbox& outbox, std::unique_ptr<Target> target, OfShard of, std::string edge,
                 Figures& figures, Tell tell)
    : outbox_(outbox),
      target_(std::move(target)),
      of_(of),
      edge_(std::move(edge)),
      figures_(figures),
      tell_(std::move(tell)) {
  thread_ = std::thread([this] { run(); });
}

void Courier::wake() {
  const std::scoped_lock lock(mutex_);
  woken_ = true;
  come_.notify_one();
}

bool Courier::finish(milliseconds patience) {
  std::unique_lock lock(mutex_);
  woken_ = true;
  wait_ = {};
  come_.notify_one();
  return empty_.wait_for(lock, patience, [&] { return outbox_.waiting(of_) == 0; });
}

void Courier::begin_stop() {
  const std::scoped_lock lock(mutex_);
  stopping_ = true;
  come_.notify_one();
}

void Courier::stop() {
  begin_stop();
  if (thread_.joinable()) thread_.join();
}

void Courier::run() {
  while (!stopping_) {
    const milliseconds wait = deliver();
    std::unique_lock lock(mutex_);
    if (outbox_.waiting(of_) == 0) empty_.notify_all();
    // While the store is away, more rows are no reason to hurry.
    const bool failing = wait_.count() != 0;
    come_.wait_for(lock, wait, [&] { return stopping_ || (woken_ && !failing); });
    woken_ = false;
  }
}

milliseconds Courier::deliver() {
  take_up();
  if (sending_.empty()) {
    auto batches = outbox_.take_alike(of_, alone_ != 0 ? 0 : target_->bytes_at_once());
    if (!batches) {
      tell_fault(base::to_text(batches.error()));
      return kNothing;
    }
    sending_ = std::move(*batches);
    tries_ = 0;
  }
  if (sending_.empty()) return kNothing;
  // Behind rows that were refused no position is true.
  if (is_position(sending_.front().block) && outbox_.has_aside(of_)) return drop();
  const auto sent = target_->send(sending_, edge_, tries_);
  if (sent) return taken();
  ++tries_;
  ++figures_.batches_retried_total;
  const std::string why = base::to_text(sent.error());
  return target_->may_try_again() ? failed(why) : refused(why);
}

// Positions are told again and again: what nobody takes of them is no loss, and does not wait.
milliseconds Courier::drop() {
  for (const Outbox::Batch& batch : sending_) outbox_.sent(batch.number);
  alone_ -= std::min(alone_, sending_.size());
  sending_.clear();
  return {};
}

milliseconds Courier::taken() {
  for (const Outbox::Batch& batch : sending_) {
    outbox_.sent(batch.number);
    figures_.rows_total += batch.block.rows;
    told_.erase(batch.number);
  }
  figures_.batches_total += sending_.size();
  ++figures_.inserts_total;
  figures_.outbox_bytes = outbox_.bytes();
  alone_ -= std::min(alone_, sending_.size());
  in_row_ = 0;
  sending_.clear();
  if (figures_.store_up[of_.shard].exchange(1) == 0)
    tell_({Weight::news, "store", {}, 0, fmt::format("{} takes rows", target_->name())});
  const std::scoped_lock lock(mutex_);
  wait_ = {};
  return {};
}

milliseconds Courier::failed(const std::string& why) {
  tell_fault(why);
  const std::scoped_lock lock(mutex_);
  wait_ = std::clamp(std::max(wait_ * 2, target_->asked_to_wait()), kFirstWait, kMostWait);
  return wait_;
}

// Of several one may be the reason: each shows alone. Where nothing at all is taken, it is not the
// batches.
milliseconds Courier::refused(const std::string& why) {
  if (sending_.size() > 1) {
    alone_ = sending_.size();
    for (const Outbox::Batch& batch : sending_) outbox_.give_back(batch.number);
    sending_.clear();
    return {};
  }
  const Outbox::Batch& one = sending_.front();
  if (is_position(one.block)) {
    if (!std::exchange(told_positions_, true))
      tell_({Weight::warning,
             "position",
             {},
             0,
             why + "; where streams are is not told there: polytrace fleet schema --apply, and "
                   "hubs of this version, let it be"});
    return drop();
  }
  outbox_.set_aside(one.number);
  if (told_.insert(one.number).second)
    tell_({Weight::warning,
           "store",
           {},
           0,
           fmt::format("{}; {} rows of {} wait in the outbox", why, one.block.rows,
                       one.block.table)});
  alone_ -= std::min<std::size_t>(alone_, 1);
  if (!aside_since_) aside_since_ = std::chrono::steady_clock::now();
  ++figures_.batches_aside;
  sending_.clear();
  const bool is_nothing_taken = ++in_row_ >= kRefusalsOfAll;
  if (is_nothing_taken) figures_.store_up[of_.shard] = 0;
  const std::scoped_lock lock(mutex_);
  wait_ = is_nothing_taken ? kMostWait : milliseconds(0);
  return wait_;
}

void Courier::take_up() {
  if (!aside_since_ || std::chrono::steady_clock::now() - *aside_since_ < kMostWait) return;
  figures_.batches_aside -= outbox_.take_up(of_);
  aside_since_.reset();
  in_row_ = 0;
}

void Courier::tell_fault(const std::string& why) {
  // Once for each time that it goes away.
  if (figures_.store_up[of_.shard].exchange(0) == 1 || tries_ == 1)
    tell_({Weight::warning, "store", {}, 0, why + "; rows wait in the outbox"});
}

Couriers::Couriers(Outbox& outbox, Targets targets, const std::string& edge, Figures& figures,
                   const Tell& tell) {
  const auto count = static_cast<std::uint32_t>(targets.size());
  figures.shards = count;
  for (std::uint32_t i = 0; i < count; ++i)
    for (auto& target : targets[i])
      each_.push_back(std::make_unique<Courier>(outbox, std::move(target), OfShard{i, count}, edge,
                                                figures, tell));
}

void Couriers::wake() {
  for (const auto& courier : each_) courier->wake();
}

bool Couriers::finish(milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  bool has_all = true;
  for (const auto& courier : each_) {
    const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
    has_all &= courier->finish(std::max(left, milliseconds(0)));
  }
  return has_all;
}

void Couriers::stop() {
  for (const auto& courier : each_) courier->begin_stop();
  for (const auto& courier : each_) courier->stop();
}

}  // namespace polytrace::collector
