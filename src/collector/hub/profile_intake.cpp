// SPDX-License-Identifier: Apache-2.0
#include "collector/hub/profile_intake.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>

#include "base/wall_clock.hpp"
#include "collector/foreign/profile_request.hpp"

namespace polytrace::collector {
namespace {

constexpr Time kAheadOfClock = 600 * kSecond;
constexpr Time kBehindClock = 7 * 86'400 * kSecond;

}  // namespace

ProfileIntake::ProfileIntake(Outbox& outbox, const Config& config, std::uint32_t shards,
                             std::function<void()> more, Figures& figures, Tell tell)
    : config_(config),
      shards_(shards),
      figures_(figures),
      tell_(tell),
      intake_(
          outbox, [this](Call& call) { return look_at(call); }, std::move(more), figures,
          std::move(tell)) {}

void ProfileIntake::add_to(Routes& routes) {
  for (const ProfileRoute& route : profile_routes())
    routes.push_back({.method = std::string(route.method),
                      .path = std::string(route.path),
                      .role = Role::push,
                      .most_body = kMostProfileBody,
                      .answer = [this](Call call) { intake_.take(std::move(call)); }});
}

BlockIntake::Brought ProfileIntake::look_at(Call& call) {
  BlockIntake::Brought brought;
  const std::string* const database = database_of(call.caller, config_.tenants);
  if (database == nullptr) {
    brought.reply =
        refuse_call(figures_, tell_, Refused::tenant, 403, call, "there is no such tenant here");
    return brought;
  }
  const http::Request& request = call.request;
  const auto route = std::ranges::find(profile_routes(), request.path(), &ProfileRoute::path);
  const Time now = base::wall_now();
  ForeignOptions how;
  if (config_.is_edge) how.labels = config_.labels;
  how.accepted = {now - kBehindClock, now + kAheadOfClock};
  how.otherwise = now;
  ProfileAnswer answer = answer_profile(*route, request.target, request.body, std::move(how));
  if (answer.status != 200) {
    brought.reply = refuse_call(figures_, tell_, Refused::profile, answer.status, call,
                                answer.body.substr(0, answer.body.find('\n')));
    return brought;
  }
  brought.blocks = blocks_of(answer.rows, shards_);
  // Who heard no answer sends the same again: it is the same batches then, sent who knows how
  // often.
  const std::string name =
      fmt::format("profile-{:016x}", XXH3_64bits(request.body.data(), request.body.size()));
  std::uint64_t number = 0;
  for (Block& block : brought.blocks) {
    block.database = *database;
    block.origin = {name, number++, 1};
  }
  brought.reply.type = std::move(answer.type);
  brought.reply.body = std::move(answer.body);
  figures_.events_refused_total += answer.refused;
  brought.kept = [this] { ++figures_.profiles_taken_total; };
  return brought;
}

}  // namespace polytrace::collector
