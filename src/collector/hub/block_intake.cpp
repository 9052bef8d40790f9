// SPDX-License-Identifier: Apache-2.0
#include "collector/hub/block_intake.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

constexpr std::uint64_t kMostWaitingBytes = std::uint64_t{256} << 20;
constexpr unsigned kComeAgain = 5;  // seconds

}  // namespace

BlockIntake::BlockIntake(Outbox& outbox, std::function<Brought(Call&)> look_at,
                         std::function<void()> more, Figures& figures, Tell tell)
    : outbox_(outbox),
      look_at_(std::move(look_at)),
      more_(std::move(more)),
      figures_(figures),
      tell_(std::move(tell)) {
  thread_ = std::thread([this] { run(); });
}

BlockIntake::~BlockIntake() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    come_.notify_one();
  }
  thread_.join();
}

void BlockIntake::take(Call call) {
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_bytes_ <= kMostWaitingBytes && !outbox_.over_high()) {
      waiting_bytes_ += call.request.body.size();
      waiting_.push_back(std::move(call));
      come_.notify_one();
      return;
    }
  }
  figures_.refuse(Refused::high);
  call.done(come_again(429, std::string(text_of(Refused::high)) + "\n", kComeAgain));
}

void BlockIntake::run() {
  for (;;) {
    std::vector<Call> calls;
    {
      std::unique_lock lock(mutex_);
      come_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      calls.swap(waiting_);
      waiting_bytes_ = 0;
    }
    work_on(std::move(calls));
  }
}

// What is appended is answered when it is synced, all at once.
void BlockIntake::work_on(std::vector<Call> calls) {
  std::vector<std::pair<Call, Brought>> kept;
  const auto turn = outbox_.turn();
  for (Call& call : calls) {
    Brought brought = look_at_(call);
    if (brought.blocks.empty()) {
      call.done(std::move(brought.reply));
    } else if (const auto appended = append(brought.blocks); appended) {
      call.request.body = {};
      brought.blocks.clear();
      kept.emplace_back(std::move(call), std::move(brought));
    } else {
      figures_.refuse(Refused::high);
      call.done(come_again(429, base::to_text(appended.error()) + "\n", kComeAgain));
    }
  }
  if (kept.empty()) return;
  const auto synced = outbox_.sync();
  figures_.outbox_bytes = outbox_.bytes();
  if (!synced)
    tell_({Weight::warning, "outbox", {}, 0, "takes nothing: " + base::to_text(synced.error())});
  for (auto& [call, brought] : kept) {
    if (!synced) {
      call.done(come_again(503, "the outbox cannot be written\n", kComeAgain));
      continue;
    }
    if (brought.kept) brought.kept();
    call.done(std::move(brought.reply));
  }
  if (synced && more_) more_();
}

// What one of several has no room for comes again with the others, as the same rows.
base::result<void> BlockIntake::append(const std::vector<Block>& blocks) {
  for (const Block& block : blocks)
    if (const auto number = outbox_.append(block); !number) return base::Unexpected(number.error());
  return {};
}

const std::string* database_of(const Caller& caller, const std::vector<Tenant>& tenants) {
  static const std::string kOwn;
  if (tenants.empty()) return &kOwn;
  const auto found = std::ranges::find(tenants, caller.tenant, &Tenant::name);
  return found == tenants.end() ? nullptr : &found->database;
}

http::Reply refuse_call(Figures& figures, const Tell& tell, Refused why, unsigned status,
                        const Call& call, const std::string& text) {
  figures.refuse(why);
  tell(
      {Weight::warning, "refused", call.caller.name, 0, fmt::format("{}: {}", text_of(why), text)});
  return plain(status, text + "\n");
}

}  // namespace polytrace::collector
