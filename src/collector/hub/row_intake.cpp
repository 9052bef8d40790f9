// SPDX-License-Identifier: Apache-2.0
#include "collector/hub/row_intake.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "base/codes.hpp"
#include "base/wall_clock.hpp"
#include "collector/keep/packed_block.hpp"
#include "collector/target/target.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kMostSeen = 65'536;
constexpr std::uint64_t kAlwaysUnpacked = std::uint64_t{1} << 20;
// A partition for each day: none for a clock that is wrong.
constexpr std::int64_t kDaysBehind = 40;
constexpr std::int64_t kDaysOfNamesBehind = 4000;  // a month each: as long as a process may run
constexpr std::int64_t kDaysAhead = 1;

std::int64_t today() { return base::wall_seconds() / 86'400; }

bool is_of_these_days(const Block& block) {
  const std::int64_t ahead = std::int64_t{block.day} - today();
  const bool names_things = block.totals.empty();
  return ahead <= kDaysAhead && -ahead <= (names_things ? kDaysOfNamesBehind : kDaysBehind);
}

}  // namespace

struct RowIntake::Batch {
  std::vector<Block> blocks{};  // of each shard
  Origin origin{};
  Digest digest{};
  bool is_known = false;
};

RowIntake::RowIntake(Outbox& outbox, RowIntakeOptions options, Figures& figures, Tell tell)
    : options_(std::move(options)),
      figures_(figures),
      tell_(tell),
      intake_(
          outbox, [this](Call& call) { return look_at(call); }, options_.more, figures,
          std::move(tell)) {}

Route RowIntake::route() {
  return {.method = "POST",
          .path = "/v1/rows/",
          .role = Role::push,
          .most_body = kMostPackedBatch,
          .answer = [this](Call call) { intake_.take(std::move(call)); }};
}

BlockIntake::Brought RowIntake::look_at(Call& call) {
  Batch batch;
  BlockIntake::Brought brought;
  if (auto refusal = look_at(call, batch)) {
    brought.reply = std::move(*refusal);
  } else if (batch.is_known) {
    ++figures_.batches_known_total;
    brought.reply = plain(200, "it is here already\n");
  } else {
    brought.blocks = std::move(batch.blocks);
    brought.reply = plain(200, "kept\n");
    brought.kept = [this, digest = batch.digest] {
      remember(digest);
      ++figures_.batches_taken_total;
    };
  }
  return brought;
}

std::optional<http::Reply> RowIntake::look_at(const Call& call, Batch& batch) {
  const std::string* const database = database_of(call.caller, options_.tenants);
  if (database == nullptr)
    return refuse_call(figures_, tell_, Refused::tenant, 403, call, "this hub has no such tenant");
  const http::Request& request = call.request;
  const auto number = service::parse_number<std::uint64_t>(request.only(kBatchField));
  const auto before = service::parse_number<std::uint32_t>(request.only(kBeforeField));
  const std::string_view edge = request.only(kEdgeField);
  if (!number || !before || !is_short_name(edge))
    return refuse_call(
        figures_, tell_, Refused::rows, 400, call,
        fmt::format("{}, {} and {} say whose batch it is", kEdgeField, kBatchField, kBeforeField));
  batch.origin = {std::string(edge), *number, *before};
  batch.digest = digest_of(call, batch);
  if (seen_.contains(batch.digest)) {
    batch.is_known = true;
    return std::nullopt;
  }
  if (auto refusal = unpack_it(call, batch)) return refusal;
  for (Block& block : batch.blocks) {
    block.database = *database;
    block.origin = batch.origin;
  }
  return std::nullopt;
}

std::optional<http::Reply> RowIntake::unpack_it(const Call& call, Batch& batch) {
  const base::Bytes body = std::as_bytes(std::span(call.request.body));
  const auto size = unpacked_size(body);
  const std::uint64_t most =
      std::min(kMostUnpackedBatch, std::max(kAlwaysUnpacked, kMostRatio * body.size()));
  if (size && *size > most)
    return refuse_call(figures_, tell_, Refused::bomb, 413, call,
                       fmt::format("{} bytes would be {}", body.size(), *size));
  auto block = unpack(body, most);
  if (!block || block->table != call.rest)
    return refuse_call(figures_, tell_, Refused::rows, 400, call,
                       "the bytes are damaged, or of another table");
  if (options_.shards == 1 && is_as_made(*block)) {
    block->packed = packed_rows(body);
    batch.blocks.push_back(std::move(*block));
  } else {
    batch.blocks = made_anew(*block, options_.shards);
  }
  if (batch.blocks.empty())
    return refuse_call(figures_, tell_, Refused::rows, 400, call,
                       "the rows are not of this table as this version has it, or not of one day");
  if (!is_of_these_days(batch.blocks.front()))
    return refuse_call(figures_, tell_, Refused::rows, 400, call,
                       "the day is too far from today: is the clock right?");
  return std::nullopt;
}

RowIntake::Digest RowIntake::digest_of(const Call& call, const Batch& batch) {
  const XXH128_hash_t body = XXH3_128bits(call.request.body.data(), call.request.body.size());
  const std::string whole =
      fmt::format("{}/{}/{}/{}/{:016x}{:016x}", call.caller.tenant, batch.origin.edge,
                  batch.origin.number, call.rest, body.high64, body.low64);
  const XXH128_hash_t digest = XXH3_128bits(whole.data(), whole.size());
  return {digest.low64, digest.high64};
}

void RowIntake::remember(const Digest& digest) {
  if (!seen_.insert(digest).second) return;
  order_.push_back(digest);
  if (order_.size() <= kMostSeen) return;
  seen_.erase(order_.front());
  order_.pop_front();
}

}  // namespace polytrace::collector
