// SPDX-License-Identifier: Apache-2.0
#include "fleet/control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/codes.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/utf8.hpp"
#include "service/json/body.hpp"
#include "warehouse/post.hpp"

namespace polytrace::fleet {
namespace {

// A heap dump of each of many programs takes long, and a rate may be low.
constexpr std::chrono::milliseconds kLongestCommand{std::chrono::hours(2)};

base::result<ControlAnswer> read_control_answer(int status, std::string text) {
  ControlAnswer answer{.status = status};
  service::JsonBody body(text);
  service::JsonMembers members = body.members();
  members.text("schema");
  members.text("command");
  answer.order = members.text("order");
  answer.canary = members.text("canary");
  answer.matched = members.count("matched", 0);
  answer.silent = members.texts("silent_edges");
  for (service::JsonMembers& one : members.objects("programs")) {
    const auto take = [&](std::string_view name) { return base::repaired(one.text(name)); };
    answer.fates.push_back({take("series"), take("service"), take("host"), take("instance"),
                            take("edge"), take("outcome"), take("text")});
  }
  if (!body.fault().empty()) return base::fail(base::Code::open_failed, body.fault());
  answer.json = std::move(text);
  return answer;
}

}  // namespace

bool ControlAnswer::is_done() const {
  return !fates.empty() && silent.empty() &&
         std::ranges::all_of(fates, [](const ControlFate& one) { return one.outcome == "ok"; });
}

std::string order_json(const ControlOrder& order) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Form::one_line);
  const auto say = [&](std::string_view name, const std::string& word) {
    if (!word.empty()) json.member(name, word);
  };
  const auto list = [&](std::string_view name, const std::vector<std::string>& words) {
    if (words.empty()) return;
    json.key(name);
    json.begin_array();
    for (const std::string& word : words) json.value(word);
    json.end_array();
  };
  json.begin_object();
  json.member("where", order.where);
  json.member("limit", order.limit);
  if (!order.rate.empty()) {
    json.key("rate");
    json.number(order.rate);
  }
  json.member("canary", order.canary);
  say("wait", order.wait);
  list("events", order.events);
  list("filters", order.filters);
  say("duration", order.duration);
  say("size", order.size);
  say("text", order.text);
  json.end_object();
  return text;
}

base::result<ControlAnswer> command_fleet(const Hub& hub, const ControlOrder& order) {
  std::string url = hub.url;
  url.resize(url.find_last_not_of('/') + 1);
  auto poster = warehouse::Poster::open({.url = fmt::format("{}/v1/agents/{}", url, order.command),
                                         .fields = {"Content-Type: application/json"},
                                         .token = hub.token,
                                         .ca = hub.ca,
                                         .within = kLongestCommand,
                                         .most_answer = std::uint64_t{4} << 20,
                                         .keeps_connection = false});
  if (!poster) return base::Unexpected(poster.error());
  const std::string body = order_json(order);
  const auto posted = poster->post(std::as_bytes(std::span(body)));
  if (!posted) return base::Unexpected(posted.error());
  std::string text(reinterpret_cast<const char*>(posted->answer.data()), posted->answer.size());
  if (text.starts_with('{')) return read_control_answer(posted->status, std::move(text));
  return base::fail(
      posted->status == 400 ? base::Code::usage : base::Code::open_failed,
      fmt::format("{}: HTTP {}: {}", url, posted->status, warehouse::first_line(posted->answer)));
}

}  // namespace polytrace::fleet
