// SPDX-License-Identifier: Apache-2.0
#include "collector/control/desk.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>

#include "base/codes.hpp"
#include "base/wall_clock.hpp"
#include "collector/control/campaign.hpp"
#include "collector/control/edge_post.hpp"
#include "collector/hub/block_intake.hpp"
#include "http/messages.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;
using warehouse::CommandOutcome;

constexpr std::string_view kAgentsPath = "/v1/agents/";
constexpr std::size_t kOrderName = 6;  // random bytes

std::string answer_json(const std::string& name, Verb verb, const CampaignEnd& end) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.member("schema", "polytrace.fleet-control/1");
  json.member("order", name);
  json.member("command", name_of(verb));
  json.member("matched", end.matched);
  json.key("silent_edges");
  json.begin_array();
  for (const std::string& edge : end.silent) json.value(edge);
  json.end_array();
  json.member("canary", end.canary);
  json.key("programs");
  json.begin_array();
  for (const Fate& one : end.outcomes) {
    json.begin_object();
    json.member("series", fmt::format("{:016x}", one.whom.series));
    json.member("service", one.whom.service);
    json.member("host", one.whom.host);
    json.member("instance", one.whom.instance);
    json.member("edge", one.edge);
    json.member("outcome", warehouse::name_of(one.result.outcome));
    json.member("text", one.result.text);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text + "\n";
}

// All of them alike: that decides.
unsigned status_of(const CampaignEnd& end) {
  const auto are_all = [&](std::initializer_list<CommandOutcome> some) {
    return std::ranges::all_of(end.outcomes, [&](const Fate& one) {
      return std::ranges::find(some, one.result.outcome) != some.end();
    });
  };
  if (end.outcomes.empty()) return 404;
  if (are_all({CommandOutcome::forbidden})) return 403;
  return are_all({CommandOutcome::busy, CommandOutcome::wrong_state}) ? 409 : 200;
}

class OwnControlDesk final : public ControlDesk {
 public:
  OwnControlDesk(asio::io_context& context, const Config& config, Executor* own, Edges& edges,
                 Ledger& ledger, Figures& figures, Tell tell)
      : context_(context),
        config_(config),
        edges_(edges),
        ledger_(ledger),
        figures_(figures),
        tell_(std::move(tell)) {
    if (own != nullptr) own_ = near_post(context, *own);
  }

  void add_to(Routes& routes) override {
    routes.push_back({.method = "POST",
                      .path = std::string(kAgentsPath),
                      .most_body = kMostOrder,
                      .answer = [this](Call call) { take(std::move(call)); },
                      .who = Route::Who::known});
  }

 private:
  // What is known of an order that somebody waits for.
  struct Pending {
    std::string name{};  // so that its rows are told from others
    Verb verb{};
    std::string who{};
    std::string what{};
    std::string database{};
    http::Answerer::Done done{};
    std::size_t unwritten = 1;  // rows, and the end of the campaign
    bool all_kept = true;
    std::optional<http::Reply> reply{};
  };
  using PendingPtr = std::shared_ptr<Pending>;

  void take(Call call) {
    const auto verb = find_verb(call.rest);
    if (!verb) {
      call.done(plain(
          404, fmt::format("there is no such command; there are {}\n", fmt::join(kVerbs, ", "))));
      return;
    }
    const std::string* const database = database_of(call.caller, config_.tenants);
    if (database == nullptr) {
      call.done(
          refuse_call(figures_, tell_, Refused::tenant, 403, call, "there is no such tenant"));
      return;
    }
    const auto pending = std::make_shared<Pending>();
    pending->name = http::random_token(kOrderName).value_or("?");
    pending->verb = *verb;
    pending->who = call.caller.name;
    pending->what = name_of(*verb);
    pending->database = *database;
    pending->done = std::move(call.done);
    if (auto missing = missing_role(call.caller, *verb)) {
      figures_.refuse(Refused::role);
      return refuse(
          pending, CommandOutcome::refused, 403,
          fmt::format("this needs the role {}", kRoleNames[static_cast<std::size_t>(*missing)]));
    }
    auto wish = parse_wish(*verb, call.request.body);
    if (!wish) return refuse(pending, CommandOutcome::invalid, 400, base::to_text(wish.error()));
    if (orders_ >= kMostOrders)
      return refuse(pending, CommandOutcome::busy, 429,
                    fmt::format("{} orders are under way: come again", orders_));
    ++orders_;
    const std::string text = fmt::format(
        "where {}; limit {}, rate {:g}, canary {}; {}", wish->selection.where,
        wish->selection.limit, wish->selection.rate, wish->selection.canary, to_text(wish->order));
    tell_({Weight::news, "command", pending->who, 0, fmt::format("{} [{}]", text, pending->name)});
    write(pending, 0, {CommandOutcome::asked, text},
          [this, pending, wish = std::move(*wish)](bool kept) {
            kept ? begin(pending, wish) : give_up(pending);
          });
  }

  static std::optional<Role> missing_role(const Caller& caller, Verb verb) {
    if (!caller.may(Role::control)) return Role::control;
    if (verb == Verb::heap_dump && !caller.may(Role::dump)) return Role::dump;
    return std::nullopt;
  }

  void refuse(const PendingPtr& pending, CommandOutcome outcome, unsigned status,
              const std::string& text) {
    tell_(
        {Weight::warning, "refused", pending->who, 0, fmt::format("{}: {}", pending->what, text)});
    pending->reply =
        status == 429 ? come_again(status, text + "\n", 5) : plain(status, text + "\n");
    write(pending, 0, {outcome, text}, [this, pending](bool kept) { written(pending, kept); });
  }
  void give_up(const PendingPtr& pending) {
    --orders_;
    pending->done(plain(503, "the outbox cannot be written: nothing was asked of anybody\n"));
  }

  void begin(const PendingPtr& pending, const Wish& wish) {
    std::vector<std::shared_ptr<EdgePost>> edges;
    if (own_) edges.push_back(own_);
    for (auto& edge : edges_.of(pending->database)) edges.push_back(std::move(edge));
    carry_out(context_, wish, pending->database, std::move(edges),
              {.each =
                   [this, pending](const Fate& fate) {
                     ++pending->unwritten;
                     write(pending, fate.whom.series, fate.result,
                           [this, pending](bool kept) { written(pending, kept); });
                   },
               .end = [this, pending](CampaignEnd end) { finish(pending, std::move(end)); }});
  }
  void finish(const PendingPtr& pending, CampaignEnd end) {
    --orders_;
    http::Reply reply{.status = status_of(end),
                      .body = answer_json(pending->name, pending->verb, end)};
    pending->reply = std::move(reply);
    if (!end.outcomes.empty()) return written(pending, true);
    const std::string text = end.silent.empty()
                                 ? "no program that is connected has such labels"
                                 : fmt::format(
                                       "no program that is known has such labels; edges that did "
                                       "not answer: {}",
                                       fmt::join(end.silent, ", "));
    write(pending, 0, {CommandOutcome::not_found, text},
          [this, pending](bool kept) { written(pending, kept); });
  }
  void written(const PendingPtr& pending, bool kept) {
    pending->all_kept &= kept;
    if (--pending->unwritten != 0 || !pending->reply) return;
    if (!pending->all_kept)
      pending->reply->fields.push_back({"Polytrace-Unwritten", "rows of commands"});
    pending->done(std::move(*pending->reply));
  }

  void write(const PendingPtr& pending, std::uint64_t series, const CommandResult& result,
             std::function<void(bool)> then) {
    warehouse::CommandDone row;
    row.at = static_cast<std::uint32_t>(base::wall_seconds());
    row.who = pending->who;
    row.what = pending->what;
    row.series = series;
    row.outcome = static_cast<std::uint8_t>(result.outcome);
    row.text = fmt::format("{}{}[{}]", result.text, result.text.empty() ? "" : " ", pending->name);
    ledger_.write(std::move(row), pending->database, [this, then = std::move(then)](bool kept) {
      asio::post(context_, [then, kept] { then(kept); });
    });
  }

  asio::io_context& context_;
  const Config& config_;
  Edges& edges_;
  Ledger& ledger_;
  Figures& figures_;
  Tell tell_;
  std::shared_ptr<EdgePost> own_{};
  std::size_t orders_ = 0;  // under way
};

}  // namespace

std::unique_ptr<ControlDesk> ControlDesk::make(asio::io_context& context, const Config& config,
                                               Executor* own, Edges& edges, Ledger& ledger,
                                               Figures& figures, Tell tell) {
  return std::make_unique<OwnControlDesk>(context, config, own, edges, ledger, figures,
                                          std::move(tell));
}

}  // namespace polytrace::collector
