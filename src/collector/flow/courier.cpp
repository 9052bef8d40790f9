// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/courier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/codes.hpp"
#include "collector/send/sender.hpp"

namespace polytrace::collector {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{1000};
constexpr milliseconds kMostWait{60'000};
constexpr milliseconds kNothing{1000};

std::uint32_t wall_seconds() {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace

Courier::Courier(Outbox& outbox, warehouse::Link link, std::string edge, Figures& figures,
                 Tell tell)
    : outbox_(outbox),
      link_(std::move(link)),
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
  return empty_.wait_for(lock, patience, [&] { return outbox_.waiting() == 0; });
}

void Courier::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    come_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Courier::run() {
  while (!stopping_) {
    const milliseconds wait = deliver();
    std::unique_lock lock(mutex_);
    if (outbox_.waiting() == 0) empty_.notify_all();
    // While the store is away, more rows are no reason to hurry.
    const bool failing = wait_.count() != 0;
    come_.wait_for(lock, wait, [&] { return stopping_ || (woken_ && !failing); });
    woken_ = false;
  }
}

milliseconds Courier::deliver() {
  const auto batch = outbox_.next();
  if (!batch) {
    tell_fault(base::to_text(batch.error()));
    return kNothing;
  }
  if (!*batch) return kNothing;
  const Outbox::Batch& one = **batch;
  if (one.number != failed_) tries_ = 0;
  Sender sender(link_, {.edge = edge_, .tries = 1, .stop = &stopping_});
  const auto sent = sender.send(one.block, one.number, wall_seconds(), tries_ + one.again);
  if (sent) {
    outbox_.sent(one.number);
    figures_.rows_total += one.block.rows;
    ++figures_.batches_total;
    figures_.outbox_bytes = outbox_.bytes();
    if (figures_.store_up.exchange(1) == 0)
      tell_({Weight::news, "store", {}, 0, fmt::format("{} takes rows", link_.address())});
    const std::scoped_lock lock(mutex_);
    wait_ = {};
    return {};
  }
  failed_ = one.number;
  ++tries_;
  ++figures_.batches_retried_total;
  tell_fault(base::to_text(sent.error()));
  const std::scoped_lock lock(mutex_);
  wait_ = sender.may_try_again() ? std::clamp(wait_ * 2, kFirstWait, kMostWait) : kMostWait;
  return wait_;
}

void Courier::tell_fault(const std::string& why) {
  // Once for each time that it goes away.
  if (figures_.store_up.exchange(0) == 1 || tries_ == 1)
    tell_({Weight::warning, "store", {}, 0, why + "; rows wait in the outbox"});
}

}  // namespace polytrace::collector
