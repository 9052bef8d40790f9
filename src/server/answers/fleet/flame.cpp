// SPDX-License-Identifier: Apache-2.0
#include <xxhash.h>

#include "fleet/questions.hpp"
#include "server/answers/fleet/question.hpp"
#include "server/answers/profile/pruned_json.hpp"

namespace polytrace::server {
namespace {

constexpr std::uint64_t kUsualFlameNodes = 20'000, kMostFlameNodes = 200'000;

struct FlameAsked {
  fleet::QuestionWords words{};
  std::string base{};
  const analysis::Weight* weight = nullptr;
  std::uint64_t most = kUsualFlameNodes;
};

FlameAsked read_flame_asked(Members members) {
  FlameAsked asked{.words = read_words(members)};
  asked.base = members.text("base");
  asked.weight = analysis::find_weight(members.text("weight", analysis::weights().front().key));
  if (asked.weight == nullptr) members.complain("weight", "is none");
  asked.most = members.count("most", kUsualFlameNodes, kMostFlameNodes);
  return asked;
}

// Of its name: the same in each answer, so that addresses of frames hold.
std::uint32_t number_of(const analysis::Profile::Frame& frame) {
  return static_cast<std::uint32_t>(XXH3_64bits(frame.name.data(), frame.name.size()));
}

void write_own_account(base::JsonWriter& json, std::string_view key,
                       const fleet::Account& account) {
  json.key(key);
  json.begin_object();
  fleet::write_account(json, account);
  json.end_object();
}

Reply write_flame(const fleet::ProfileAnswer& now, const fleet::ProfileAnswer* before,
                  std::uint64_t most) {
  const auto pruned = analysis::prune(
      before == nullptr ? now.profile : analysis::compared(now.profile, before->profile, false),
      most, 0);
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Form::one_line);
  json.begin_object();
  json.member("schema", "polytrace.ui.fleet-flame/1");
  write_own_account(json, "account", now.account);
  if (before != nullptr) write_own_account(json, "base", before->account);
  json.member("weight", now.profile.weight->key);
  json.member("title", now.profile.weight->title);
  json.member("unit", unit_word(*now.profile.weight));
  write_pruned(json, pruned);
  write_frames(json, pruned.profile, number_of);
  json.key("cut");
  json.begin_object();
  json.member("nodes", pruned.cut);
  json.end_object();
  json.end_object();
  return {.body = std::move(text)};
}

}  // namespace

Answered answer_fleet_flame(Ask& ask) {
  const FlameAsked asked = read_flame_asked(ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const auto question = question_of(asked.words);
  if (!question) return tl::unexpected(question.error());
  std::optional<fleet::Question> other;
  if (!asked.base.empty()) {
    auto before = earlier_of(*question, asked.base, {});
    if (!before) return tl::unexpected(std::move(before.error()));
    other = std::move(*before);
  }
  auto store = open_store(ask);
  if (!store) return tl::unexpected(std::move(store.error()));
  const auto now = fleet::ask_profile(*store, *question, *asked.weight);
  if (!now) return tl::unexpected(fault_reply(now.error()));
  if (!other) return write_flame(*now, nullptr, asked.most);
  const auto before = fleet::ask_profile(*store, *other, *asked.weight);
  if (!before) return tl::unexpected(fault_reply(before.error()));
  return write_flame(*now, &*before, asked.most);
}

}  // namespace polytrace::server
