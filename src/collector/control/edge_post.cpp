// SPDX-License-Identifier: Apache-2.0
#include "collector/control/edge_post.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/text/utf8.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;
using base::JsonWriter;
using service::JsonBody;
using service::JsonMembers;
using warehouse::CommandOutcome;

constexpr std::size_t kLongestAnswerText = 1000;
constexpr std::size_t kLongestShown = 256;
// What an edge needs to say so itself.
constexpr std::chrono::seconds kPostal{3};

class NearPost final : public EdgePost {
 public:
  NearPost(asio::io_context& context, Executor& executor)
      : context_(context), executor_(executor) {}

  const std::string& name() const override { return name_; }
  void find(const std::string& where, const std::string& database, std::uint64_t most,
            TakeFound take) override {
    const auto parsed = parse_condition(where);
    later(std::move(take), parsed ? executor_.find(*parsed, &database, most) : Found{});
  }
  void act(const Candidate& whom, const std::string& database, const Order& order,
           TakeResult take) override {
    executor_.act(whom.number, &database, order, std::move(take));
  }
  void judge(const Candidate& whom, TakeResult take) override {
    later(std::move(take), executor_.judge(whom.number));
  }

 private:
  template <class Take, class Answer>
  void later(Take take, Answer answer) {
    asio::post(context_, [take = std::move(take), answer = std::move(answer)]() mutable {
      take(std::move(answer));
    });
  }

  asio::io_context& context_;
  Executor& executor_;
  const std::string name_ = "here";
};

CommandOutcome outcome_of(std::string_view word) {
  const auto* const found = std::ranges::find(warehouse::kCommandOutcomes, word);
  return found == warehouse::kCommandOutcomes.end()
             ? CommandOutcome::failed
             : static_cast<CommandOutcome>(found - warehouse::kCommandOutcomes.begin());
}

class OwnFarPost final : public FarPost, public std::enable_shared_from_this<OwnFarPost> {
 public:
  OwnFarPost(asio::io_context& context, std::string name, std::shared_ptr<http::Channel> channel,
             std::function<void()> over)
      : context_(context),
        name_(std::move(name)),
        channel_(std::move(channel)),
        over_(std::move(over)) {}

  void begin() {
    channel_->begin(
        {.most = kMostAnswer,
         .heard = [self = shared_from_this()](const std::string& message) { self->hear(message); },
         .over = [self = shared_from_this()](const std::string&) { self->end(); }});
  }
  void close() override {
    channel_->close();
    end();
  }

  const std::string& name() const override { return name_; }
  void find(const std::string& where, const std::string&, std::uint64_t most,
            TakeFound take) override {
    ask(
        "find", kFindWithin,
        [&](JsonWriter& json) {
          json.member("where", where);
          json.member("limit", most);
        },
        [take = std::move(take)](JsonMembers* answer) {
          take(answer == nullptr ? std::nullopt : std::optional(found_in(*answer)));
        });
  }
  void act(const Candidate& whom, const std::string&, const Order& order,
           TakeResult take) override {
    ask(
        "act", Executor::longest(order.verb) + kPostal,
        [&](JsonWriter& json) {
          json.member("number", whom.number);
          json.member("verb", name_of(order.verb));
          json.key("order");
          json.begin_object();
          write_order(json, order);
          json.end_object();
        },
        taker(std::move(take), "the edge did not answer: it may still do it"));
  }
  void judge(const Candidate& whom, TakeResult take) override {
    ask(
        "judge", kFindWithin, [&](JsonWriter& json) { json.member("number", whom.number); },
        taker(std::move(take), "the edge did not answer"));
  }

  void ask(std::string_view what, std::chrono::seconds within, const WriteMembers& more,
           Hear hear) override {
    if (is_over_ || asked_.size() >= kMostInFlight) {
      asio::post(context_, [hear = std::move(hear)] { hear(nullptr); });
      return;
    }
    const std::uint64_t id = ++last_;
    Asked& asked = asked_[id];
    asked = {std::move(hear), std::make_unique<asio::steady_timer>(context_, within)};
    asked.deadline->async_wait([self = shared_from_this(), id](boost::system::error_code fault) {
      if (!fault) self->answer(id, nullptr);
    });
    channel_->send(edge_message(id, what, more));
  }
  void say(std::string_view what, const WriteMembers& more) override {
    if (!is_over_) channel_->send(edge_message(++last_, what, more));
  }

 private:
  struct Asked {
    Hear hear{};
    std::unique_ptr<asio::steady_timer> deadline{};
  };

  void answer(std::uint64_t id, JsonMembers* members) {
    const auto found = asked_.find(id);
    if (found == asked_.end()) return;
    const Asked asked = std::move(found->second);
    asked_.erase(found);
    asked.hear(members);
  }
  void hear(const std::string& message) {
    JsonBody body(message);
    std::optional<JsonMembers> members(body.members());
    const auto id = body.fault().empty() ? members->integer("id") : std::nullopt;
    // An edge that speaks nonsense is none.
    if (!id) return close();
    answer(static_cast<std::uint64_t>(*id), &*members);
  }
  void end() {
    if (std::exchange(is_over_, true)) return;
    while (!asked_.empty()) answer(asked_.begin()->first, nullptr);
    if (const auto over = std::exchange(over_, nullptr)) over();
  }

  static Found found_in(JsonMembers& answer) {
    Found found{.matched = answer.count("matched", 0)};
    for (JsonMembers& one : answer.objects("found")) {
      const auto series = service::parse_number<std::uint64_t>(one.text("series"), 16);
      found.first.push_back({one.count("number", 0, INT64_MAX), series.value_or(0),
                             shown_text(one.text("service"), kLongestShown),
                             shown_text(one.text("host"), kLongestShown),
                             shown_text(one.text("instance"), kLongestShown)});
      if (found.first.size() == kMostCommanded) break;
    }
    return found;
  }
  static Hear taker(TakeResult take, std::string silence) {
    return [take = std::move(take), silence = std::move(silence)](JsonMembers* answer) {
      if (answer == nullptr) return take({CommandOutcome::not_reached, silence});
      take({outcome_of(answer->text("outcome")),
            shown_text(answer->text("text"), kLongestAnswerText)});
    };
  }

  asio::io_context& context_;
  const std::string name_;
  const std::shared_ptr<http::Channel> channel_;
  std::function<void()> over_;
  std::map<std::uint64_t, Asked> asked_;
  std::uint64_t last_ = 0;
  bool is_over_ = false;
};

void write_found(JsonWriter& json, const Found& found) {
  json.member("matched", found.matched);
  json.key("found");
  json.begin_array();
  for (const Candidate& one : found.first) {
    json.begin_object();
    json.member("number", one.number);
    json.member("series", fmt::format("{:016x}", one.series));
    json.member("service", one.service);
    json.member("host", one.host);
    json.member("instance", one.instance);
    json.end_object();
  }
  json.end_array();
}

std::string result_message(std::uint64_t id, const CommandResult& result) {
  return edge_message(id, {}, [&](JsonWriter& json) {
    json.member("outcome", warehouse::name_of(result.outcome));
    json.member("text", result.text);
  });
}

}  // namespace

std::string shown_text(const std::string& text, std::size_t most) {
  return base::short_name(base::repaired(text), most);
}

std::string edge_message(std::uint64_t id, std::string_view what, const WriteMembers& more) {
  std::string text;
  JsonWriter json(text, JsonWriter::Form::one_line);
  json.begin_object();
  json.member("id", id);
  if (!what.empty()) json.member("do", what);
  more(json);
  json.end_object();
  return text;
}

std::shared_ptr<EdgePost> near_post(asio::io_context& context, Executor& executor) {
  return std::make_shared<NearPost>(context, executor);
}

std::shared_ptr<FarPost> FarPost::make(asio::io_context& context, std::string name,
                                       std::shared_ptr<http::Channel> channel,
                                       std::function<void()> over) {
  auto post =
      std::make_shared<OwnFarPost>(context, std::move(name), std::move(channel), std::move(over));
  post->begin();
  return post;
}

bool serve_message(Executor& executor, EdgeService& other, const std::string& message,
                   EdgeService::AnswerHub answer) {
  JsonBody body(message);
  std::optional<JsonMembers> members(body.members());
  const std::uint64_t id = members->count("id", 0, INT64_MAX);
  const std::string what = members->text("do");
  if (what == "find") {
    const auto where = parse_condition(members->text("where"));
    const std::uint64_t most = members->count("limit", 1, kMostCommanded);
    if (!where || !body.fault().empty()) return false;
    answer(edge_message(id, {}, [&](JsonWriter& json) {
      write_found(json, executor.find(*where, nullptr, most));
    }));
    return true;
  }
  if (what != "judge" && what != "act")
    return body.fault().empty() && other.serve(what, id, *members, std::move(answer));
  const std::uint64_t number = members->count("number", 0, INT64_MAX);
  if (what == "judge" && body.fault().empty()) {
    answer(result_message(id, executor.judge(number)));
    return true;
  }
  const auto verb = find_verb(members->text("verb"));
  if (!verb) return false;
  Order order{.verb = *verb};
  if (auto object = members->object("order")) order = read_order(*verb, *object);
  else body.complain("there is no order");
  members.reset();
  // An order that this version does not know whole is not done in part.
  if (!body.fault().empty()) {
    answer(result_message(id, {CommandOutcome::invalid, body.fault()}));
    return true;
  }
  executor.act(number, nullptr, order, [id, answer = std::move(answer)](const CommandResult& done) {
    answer(result_message(id, done));
  });
  return true;
}

}  // namespace polytrace::collector
