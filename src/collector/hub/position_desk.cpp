// SPDX-License-Identifier: Apache-2.0
#include "collector/hub/position_desk.hpp"

#include <charconv>

#include "base/codes.hpp"
#include "collector/hub/block_intake.hpp"
#include "collector/keep/packed_block.hpp"

namespace polytrace::collector {
namespace {

constexpr std::chrono::milliseconds kLookAgain{50};
constexpr std::size_t kDigitsOfStream = 16;

http::Reply ask_again(std::string text) { return come_again(503, std::move(text), 1); }

}  // namespace

PositionDesk::PositionDesk(const Outbox& outbox, const Config& config, Figures& figures, Tell tell)
    : outbox_(outbox),
      config_(config),
      figures_(figures),
      tell_(std::move(tell)),
      positions_(store_positions(config)) {
  thread_ = std::thread([this] { run(); });
}

PositionDesk::~PositionDesk() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    come_.notify_one();
  }
  thread_.join();
}

Route PositionDesk::route() {
  return {.method = "POST",
          .path = std::string(kPositionPath),
          .role = Role::push,
          .answer = [this](Call call) { take(std::move(call)); }};
}

void PositionDesk::take(Call call) {
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() < kMostAtOnce) {
      waiting_.push_back(std::move(call));
      come_.notify_one();
      return;
    }
  }
  call.done(ask_again("busy with other questions\n"));
}

void PositionDesk::run() {
  for (;;) {
    std::vector<Call> calls;
    {
      std::unique_lock lock(mutex_);
      come_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      calls.swap(waiting_);
    }
    const bool is_sure = rows_have_gone();
    for (Call& call : calls)
      call.done(is_sure ? answer_of(call) : ask_again("rows wait for the store\n"));
  }
}

// What edges sent before they asked is in the store: a row of `streams` may be among it.
bool PositionDesk::rows_have_gone() {
  const std::uint64_t end = outbox_.end();
  const auto patience = std::chrono::steady_clock::now() + kRowsWithin;
  std::unique_lock lock(mutex_);
  while (outbox_.first_waiting() < end && !stopping_) {
    if (std::chrono::steady_clock::now() >= patience) return false;
    come_.wait_for(lock, kLookAgain, [&] { return stopping_; });
  }
  return !stopping_;
}

http::Reply PositionDesk::answer_of(const Call& call) {
  const std::string* const database = database_of(call.caller, config_.tenants);
  if (database == nullptr)
    return refuse_call(figures_, tell_, Refused::tenant, 403, call, "this hub has no such tenant");
  std::uint64_t stream = 0;
  const char* const end = call.rest.data() + call.rest.size();
  const auto read = std::from_chars(call.rest.data(), end, stream, 16);
  if (call.rest.size() != kDigitsOfStream || read.ec != std::errc() || read.ptr != end)
    return plain(400, "POST /v1/streams/<16 hexadecimal digits>\n");
  const auto row = positions_->find(stream, *database);
  if (!row) return ask_again(base::to_text(row.error()) + "\n");
  if (!*row) return plain(404, "the store knows no such stream\n");
  const std::vector<std::byte> packed = pack(block_of(std::vector{**row}));
  http::Reply reply = plain(200, {});
  reply.type = "application/zstd";
  reply.body.assign(reinterpret_cast<const char*>(packed.data()), packed.size());
  return reply;
}

}  // namespace polytrace::collector
