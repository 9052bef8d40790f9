// SPDX-License-Identifier: Apache-2.0
// What an edge does for a hub, with agents that are played.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <map>

#include "collector/control/campaign.hpp"
#include "collector/control/executor.hpp"
#include "collector/control/health.hpp"

namespace polytrace::collector {
namespace {

using agent::control::Message;
using warehouse::CommandOutcome;

constexpr std::uint32_t kWindowSeconds = 10;

// Answers as told, each message with the next of its answers, and the last one again.
class PlayedAgents final : public Agents {
 public:
  explicit PlayedAgents(boost::asio::io_context& context) : context_(context) {}

  void add(std::uint64_t number, std::string service, std::uint64_t series) {
    HeldAgent& agent = agents[number];
    agent.number = number;
    agent.database = "shop";
    agent.obeys = true;
    agent.who.labels.service = std::move(service);
    agent.who.series = series;
  }
  std::vector<HeldAgent> held() const override {
    std::vector<HeldAgent> all;
    for (const auto& [number, agent] : agents) all.push_back(agent);
    return all;
  }
  HeldAgent held(std::uint64_t number) const override {
    const auto found = agents.find(number);
    return found == agents.end() ? HeldAgent{} : found->second;
  }
  void ask(std::uint64_t number, Message message, const agent::control::Body&,
           std::function<void(AgentAnswer)> hear) override {
    asked.emplace_back(number, message);
    auto& list = answers[message];
    const AgentAnswer answer = list.empty() ? AgentAnswer{.outcome = {}} : list.front();
    if (list.size() > 1) list.erase(list.begin());
    boost::asio::post(context_, [hear = std::move(hear), answer] { hear(answer); });
  }

  std::map<std::uint64_t, HeldAgent> agents;
  std::map<Message, std::vector<AgentAnswer>> answers;
  std::vector<std::pair<std::uint64_t, Message>> asked;

 private:
  boost::asio::io_context& context_;
};

AgentAnswer answer(agent::control::Outcome outcome, std::uint64_t state = 1) {
  return {.outcome = outcome, .state = state, .text = "as it said"};
}

struct Played {
  boost::asio::io_context context;
  PlayedAgents agents{context};
  std::unique_ptr<Executor> executor =
      Executor::make(context, agents, {"gc", "level", "start", "heap-dump"});

  CommandResult act(std::uint64_t number, Order order, const std::string& database = "shop") {
    CommandResult result{.text = "never told"};
    executor->act(number, &database, order, [&](CommandResult told) { result = std::move(told); });
    context.restart();
    context.run();
    return result;
  }
  std::vector<Message> messages() const {
    std::vector<Message> all;
    for (const auto& [number, message] : agents.asked) all.push_back(message);
    return all;
  }
};

TEST(collect_control, an_edge_does_what_it_allows) {
  Played played;
  played.agents.add(1, "shop", 10);
  EXPECT_EQ(played.act(1, {.verb = Verb::gc}).outcome, CommandOutcome::ok);
  EXPECT_EQ(played.act(1, {.verb = Verb::pause}).outcome, CommandOutcome::forbidden);
  EXPECT_EQ(played.act(1, {.verb = Verb::gc}, "other").outcome, CommandOutcome::not_reached);
  EXPECT_EQ(played.act(2, {.verb = Verb::gc}).outcome, CommandOutcome::not_reached);
  played.agents.agents[1].obeys = false;
  EXPECT_EQ(played.act(1, {.verb = Verb::gc}).outcome, CommandOutcome::forbidden);
  EXPECT_EQ(played.messages(), std::vector{Message::run_gc});
}

TEST(collect_control, a_level_ends_what_goes_on_and_begins) {
  using agent::control::Outcome;
  Played played;
  played.agents.add(1, "shop", 10);
  const Order order{.verb = Verb::level,
                    .events = {"gc"},
                    .filters = {"a b INCLUDE"},
                    .duration = std::chrono::seconds(5)};
  played.agents.answers[Message::stop] = {answer(Outcome::ok, 0)};
  EXPECT_EQ(played.act(1, order).outcome, CommandOutcome::ok);
  const std::vector<Message> whole{Message::stop, Message::start, Message::set_filters};
  EXPECT_EQ(played.messages(), whole);
  // None that goes on is well, too; filters that are refused end it again.
  played.agents.asked.clear();
  played.agents.answers[Message::stop] = {answer(Outcome::wrong_state, 0), answer(Outcome::ok, 0)};
  played.agents.answers[Message::set_filters] = {answer(Outcome::unsupported)};
  const CommandResult undone = played.act(1, order);
  EXPECT_EQ(undone.outcome, CommandOutcome::unsupported);
  EXPECT_NE(undone.text.find("ended again"), undone.text.npos) << undone.text;
  const std::vector<Message> again{Message::stop, Message::start, Message::set_filters,
                                   Message::stop};
  EXPECT_EQ(played.messages(), again);
}

TEST(collect_control, a_heap_dump_is_done_when_it_is_done) {
  Played played;
  played.agents.add(1, "shop", 10);
  played.agents.answers[Message::heap_dump] = {{.message = Message::done, .outcome = {}}};
  EXPECT_EQ(played.act(1, {.verb = Verb::heap_dump}).outcome, CommandOutcome::ok);
}

TEST(collect_control, who_is_gone_is_told) {
  Played played;
  played.agents.add(1, "shop", 10);
  played.agents.answers[Message::run_gc] = {{.is_there = false}};
  EXPECT_EQ(played.act(1, {.verb = Verb::gc}).outcome, CommandOutcome::not_reached);
}

class OtherService final : public EdgeService {
 public:
  bool serve(std::string_view what, std::uint64_t id, service::JsonMembers& more,
             AnswerHub answer) override {
    if (what != "more") return false;
    const std::string word = more.text("word");
    answer(edge_message(id, {}, [&](base::JsonWriter& json) { json.member("said", word); }));
    return true;
  }
};

TEST(collect_control, messages_of_a_hub_are_served) {
  Played played;
  OtherService other;
  played.agents.add(1, "shop", 0xabc);
  played.agents.add(2, "cart", 0xdef);
  std::vector<std::string> said;
  const auto serve = [&](const std::string& message) {
    const bool is_one = serve_message(*played.executor, other, message,
                                      [&](std::string text) { said.push_back(std::move(text)); });
    played.context.restart();
    played.context.run();
    return is_one;
  };
  EXPECT_TRUE(serve(R"({"id": 1, "do": "find", "where": "service=shop", "limit": 5})"));
  EXPECT_TRUE(serve(R"({"id": 2, "do": "act", "number": 1, "verb": "gc", "order": {}})"));
  EXPECT_TRUE(serve(R"({"id": 3, "do": "act", "number": 1, "verb": "gc", "order": {"a": 1}})"));
  EXPECT_TRUE(serve(R"({"id": 4, "do": "act", "number": 1, "verb": "stop", "order": {}})"));
  EXPECT_TRUE(serve(R"({"id": 5, "do": "judge", "number": 2})"));
  EXPECT_TRUE(serve(R"({"id": 6, "do": "more", "word": "x"})"));
  ASSERT_EQ(said.size(), 6U);
  EXPECT_EQ(said[5], R"({"id":6,"said":"x"})");
  EXPECT_NE(said[0].find("\"0000000000000abc\""), said[0].npos) << said[0];
  EXPECT_EQ(said[0].find("cart"), said[0].npos) << said[0];
  const char* const outcomes[]{"ok", "invalid", "forbidden", "failed"};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NE(said[i + 1].find(std::string("\"") + outcomes[i] + "\""), said[0].npos)
        << said[i + 1];
  for (const char* const wrong :
       {"", "x", "[]", "{}", R"({"id": 1, "do": "shutdown"})",
        R"({"id": 1, "do": "act", "number": 1, "verb": "exec", "order": {}})",
        R"({"id": 1, "do": "find", "where": "=", "limit": 5})"})
    EXPECT_FALSE(serve(wrong)) << wrong;
}

// An edge whose programs obey as told.
class PlayedEdge final : public EdgePost {
 public:
  PlayedEdge(boost::asio::io_context& context, std::string name, std::vector<std::uint64_t> series)
      : context_(context), name_(std::move(name)), series_(std::move(series)) {}

  const std::string& name() const override { return name_; }
  void find(const std::string&, const std::string&, std::uint64_t most, TakeFound take) override {
    std::optional<Found> found(Found{.matched = series_.size()});
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(most, series_.size()); ++i)
      found->first.push_back({.number = i, .series = series_[i]});
    if (is_away) found.reset();
    boost::asio::post(context_, [take = std::move(take), found] { take(found); });
  }
  void act(const Candidate& whom, const std::string&, const Order&, TakeResult take) override {
    commanded.push_back(whom.series);
    boost::asio::post(context_, [take = std::move(take), result = obeys] { take(result); });
  }
  void judge(const Candidate&, TakeResult take) override {
    boost::asio::post(context_, [take = std::move(take), result = found] { take(result); });
  }

  CommandResult obeys{CommandOutcome::ok, {}};
  CommandResult found{CommandOutcome::ok, "none worse"};
  bool is_away = false;
  std::vector<std::uint64_t> commanded;

 private:
  boost::asio::io_context& context_;
  const std::string name_;
  const std::vector<std::uint64_t> series_;
};

struct PlayedFleet {
  boost::asio::io_context context;
  std::shared_ptr<PlayedEdge> one =
      std::make_shared<PlayedEdge>(context, "one", std::vector<std::uint64_t>{10, 30});
  std::shared_ptr<PlayedEdge> two =
      std::make_shared<PlayedEdge>(context, "two", std::vector<std::uint64_t>{20, 40});
  std::size_t told = 0;

  CampaignEnd run(std::uint64_t limit, std::uint64_t canary = 1) {
    CampaignEnd end;
    const Selection how{.where = "a=b",
                        .limit = limit,
                        .rate = 100,
                        .canary = canary,
                        .wait = std::chrono::milliseconds(1)};
    carry_out(context, {{.verb = Verb::gc}, how}, "shop", {one, two},
              {.each = [&](const Fate&) { ++told; },
               .end = [&](CampaignEnd all) { end = std::move(all); }});
    context.restart();
    context.run();
    EXPECT_EQ(told, end.outcomes.size()) << "each is told once";
    return end;
  }
  // Of the programs, by series.
  static std::string outcomes(const CampaignEnd& end) {
    std::string all;
    for (const Fate& one : end.outcomes)
      all += fmt::format("{} {}, ", one.whom.series, warehouse::name_of(one.result.outcome));
    return all;
  }
};

TEST(collect_control, as_many_are_commanded_as_are_meant) {
  EXPECT_EQ(PlayedFleet::outcomes(PlayedFleet().run(1)), "10 ok, ");
  EXPECT_EQ(PlayedFleet::outcomes(PlayedFleet().run(3)), "10 ok, 20 ok, 30 ok, ");
  EXPECT_EQ(PlayedFleet().run(9).matched, 4U);
  EXPECT_EQ(PlayedFleet::outcomes(PlayedFleet().run(9, 0)), "10 ok, 20 ok, 30 ok, 40 ok, ");
}

TEST(collect_control, where_the_first_do_worse_the_others_are_spared) {
  PlayedFleet worse;
  worse.one->found = {CommandOutcome::failed, "pauses"};
  const CampaignEnd end = worse.run(9);
  EXPECT_EQ(PlayedFleet::outcomes(end), "10 ok, 20 stopped, 30 stopped, 40 stopped, ");
  EXPECT_EQ(end.canary, "pauses");
  EXPECT_TRUE(worse.two->commanded.empty());
  PlayedFleet second;
  second.two->found = {CommandOutcome::wrong_state, "no window"};
  EXPECT_EQ(PlayedFleet::outcomes(second.run(9, 2)), "10 ok, 20 ok, 30 stopped, 40 stopped, ");
  PlayedFleet disobeys;
  disobeys.one->obeys = {CommandOutcome::failed, "no"};
  EXPECT_EQ(PlayedFleet::outcomes(disobeys.run(2)), "10 failed, 20 stopped, ");
}

TEST(collect_control, an_edge_that_is_away_is_told) {
  PlayedFleet away;
  away.one->is_away = true;
  const CampaignEnd end = away.run(9);
  EXPECT_EQ(end.silent, std::vector<std::string>{"one"});
  EXPECT_EQ(PlayedFleet::outcomes(end), "20 ok, 40 ok, ");
}

Pulse::Beat beat(std::uint32_t number, double pauses, std::uint64_t lost = 0,
                 std::uint64_t cpu = 0) {
  return {number * kWindowSeconds, cpu, static_cast<std::uint64_t>(pauses * 10e9), 1000, lost};
}

TEST(collect_control, worse_is_a_fifth_and_more_than_always) {
  using Finding = Judgement::Finding;
  const std::vector<Pulse::Beat> calm{beat(1, 0.1), beat(2, 0.1), beat(3, 0.1)};
  constexpr base::Time kLast = 45'000'000'000;
  const auto finding = [&](std::vector<Pulse::Beat> after, const std::vector<Pulse::Beat>& before) {
    return judge(before, kLast, after).finding;
  };
  EXPECT_EQ(finding({}, calm), Finding::silent);
  EXPECT_EQ(finding({beat(4, 0.9)}, calm), Finding::silent) << "it had begun before";
  EXPECT_EQ(finding({beat(5, 0.11)}, calm), Finding::well);
  EXPECT_EQ(finding({beat(4, 0.1), beat(5, 0.13)}, calm), Finding::worse);
  EXPECT_EQ(finding({beat(5, 0.004)}, {beat(1, 0.001)}), Finding::well) << "less than 1 %";
  EXPECT_EQ(finding({beat(5, 0.1, 1)}, calm), Finding::well) << "no more than 0.1 %";
  EXPECT_EQ(finding({beat(5, 0.1, 3)}, calm), Finding::worse);
  EXPECT_EQ(finding({beat(5, 0.1, 0, 4'000'000'000)}, calm), Finding::worse);
  EXPECT_EQ(finding({beat(5, 0.9)}, {}), Finding::well) << "there is nothing to compare it with";
  EXPECT_EQ(finding({beat(5, 0.9, 3)}, {}), Finding::worse);
}

}  // namespace
}  // namespace polytrace::collector
