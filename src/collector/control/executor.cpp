// SPDX-License-Identifier: Apache-2.0
#include "collector/control/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>

#include "agent/common/memory/status.hpp"
#include "collector/control/health.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;
using agent::control::Body;
using agent::control::Field;
using agent::control::Message;
using agent::control::Outcome;
using warehouse::CommandOutcome;

constexpr std::chrono::milliseconds kGlanceAtStream{100};
constexpr auto kIdle = static_cast<std::uint64_t>(agent::State::idle);

// What a verb asks of an agent, in this order.
enum class Step : std::uint8_t {
  ask_state,
  end_first,  // a recording that goes on ends; none is well, too
  settle,     // all bytes of the stream before are here: those of a next one would overtake them
  begin,
  choose,  // filters, where there are any
  plain,   // the verb's own message
};

struct Procedure {
  Verb verb;
  Message message;
  std::vector<Step> steps;
  std::chrono::seconds within;
};
const Procedure& procedure_of(Verb verb) {
  using std::chrono::seconds;
  static const std::array<Procedure, kVerbs.size()> kProcedures = {{
      {Verb::start,
       Message::start,
       {Step::ask_state, Step::settle, Step::begin, Step::choose},
       seconds(30)},
      {Verb::stop, Message::stop, {Step::plain}, seconds(15)},
      {Verb::pause, Message::pause, {Step::plain}, seconds(15)},
      {Verb::resume, Message::resume, {Step::plain}, seconds(15)},
      {Verb::filters, Message::set_filters, {Step::plain}, seconds(30)},
      {Verb::flush, Message::flush, {Step::plain}, seconds(15)},
      {Verb::annotate, Message::annotate, {Step::plain}, seconds(15)},
      {Verb::gc, Message::run_gc, {Step::plain}, seconds(60)},
      {Verb::heap_dump, Message::heap_dump, {Step::plain}, seconds(600)},
      {Verb::level,
       Message::start,
       {Step::end_first, Step::settle, Step::begin, Step::choose},
       seconds(45)},
  }};
  return kProcedures[static_cast<std::size_t>(verb)];
}

Body body_of(Message message, const Order& order) {
  Body body;
  if (message == Message::start) {
    for (const std::string& event : order.events) body.text(Field::event, event);
    body.number(Field::duration, static_cast<std::uint64_t>(order.duration.count()));
    if (order.limit_bytes != 0) body.number(Field::limit, order.limit_bytes);
  }
  if (message == Message::set_filters)
    for (const std::string& rule : order.filters) body.text(Field::rule, rule);
  if (message == Message::annotate) body.text(Field::text, order.text);
  return body;
}

// One command on its way. Kept alive by what it waits for.
class Errand final : public std::enable_shared_from_this<Errand> {
 public:
  Errand(asio::io_context& context, Agents& agents, std::uint64_t number, Order order,
         TakeResult take)
      : agents_(agents),
        number_(number),
        order_(std::move(order)),
        procedure_(procedure_of(order_.verb)),
        take_(std::move(take)),
        deadline_(context),
        glance_(context) {}

  void begin() {
    deadline_.expires_after(procedure_.within);
    deadline_.async_wait([self = shared_from_this()](boost::system::error_code fault) {
      if (!fault)
        self->end(
            {CommandOutcome::no_answer, fmt::format("no answer within {} s; it may still do it",
                                                    self->procedure_.within.count())});
    });
    go_on();
  }

 private:
  void go_on() {
    if (at_ == procedure_.steps.size()) return end({CommandOutcome::ok, said_});
    switch (procedure_.steps[at_]) {
      case Step::ask_state: return ask(Message::status);
      case Step::end_first: return ask(Message::stop);
      case Step::settle: return settle();
      case Step::choose:
        if (order_.filters.empty()) break;
        return ask(Message::set_filters);
      case Step::begin:
      case Step::plain: return ask(procedure_.message);
    }
    ++at_;
    go_on();
  }

  void ask(Message message) {
    agents_.ask(number_, message, body_of(message, order_),
                [self = shared_from_this(), message](AgentAnswer answer) {
                  self->hear(message, std::move(answer));
                });
  }
  void hear(Message asked, AgentAnswer answer) {
    if (!take_) return;
    if (!answer.is_there) return end({CommandOutcome::not_reached, "its connection has ended"});
    // What comes before the heap.
    if (asked == Message::heap_dump && answer.outcome == Outcome::ok &&
        answer.message == Message::answer)
      return;
    is_idle_ = answer.state == kIdle;
    if (is_undone_) return end(undone_);
    const Step step = procedure_.steps[at_];
    const bool is_well = answer.outcome == Outcome::ok ||
                         (step == Step::end_first && answer.outcome == Outcome::wrong_state);
    CommandResult result{static_cast<CommandOutcome>(answer.outcome), std::move(answer.text)};
    if (!is_well && step == Step::choose) return undo(std::move(result));
    if (!is_well) return end(std::move(result));
    if (step == Step::begin || step == Step::plain) said_ = std::move(result.text);
    ++at_;
    go_on();
  }

  // Without its filters it would record what nobody asked for.
  void undo(CommandResult why) {
    undone_ = std::move(why);
    undone_.text = "the recording was ended again, filters: " + undone_.text;
    is_undone_ = true;
    ask(Message::stop);
  }

  void settle() {
    if (!is_idle_ || !agents_.held(number_).is_streaming) {
      ++at_;
      return go_on();
    }
    glance_.expires_after(kGlanceAtStream);
    glance_.async_wait([self = shared_from_this()](boost::system::error_code fault) {
      if (!fault && self->take_) self->settle();
    });
  }

  void end(CommandResult result) {
    if (!take_) return;
    deadline_.cancel();
    glance_.cancel();
    std::exchange(take_, nullptr)(std::move(result));
  }

  Agents& agents_;
  const std::uint64_t number_;
  const Order order_;
  const Procedure& procedure_;
  TakeResult take_;
  asio::steady_timer deadline_;
  asio::steady_timer glance_;
  std::size_t at_ = 0;  // of the steps
  std::string said_{};
  bool is_idle_ = false;
  bool is_undone_ = false;
  CommandResult undone_{};
};

class OwnExecutor final : public Executor {
 public:
  OwnExecutor(asio::io_context& context, Agents& agents, const std::vector<std::string>& allow)
      : context_(context), agents_(agents), allow_(allow.begin(), allow.end()) {}

  Found find(const warehouse::Where& where, const std::string* database,
             std::uint64_t most) const override {
    Found found;
    for (HeldAgent& agent : agents_.held()) {
      if (database != nullptr && agent.database != *database) continue;
      if (!matches(where, agent.who.labels)) continue;
      ++found.matched;
      const warehouse::Labels& labels = agent.who.labels;
      found.first.push_back(
          {agent.number, agent.who.series, labels.service, labels.host, labels.instance});
    }
    std::ranges::sort(found.first, {},
                      [](const Candidate& one) { return std::pair(one.series, one.number); });
    if (found.first.size() > most) found.first.resize(most);
    return found;
  }

  void act(std::uint64_t number, const std::string* database, const Order& order,
           TakeResult take) override {
    auto refusal = fault_of(number, database, order.verb);
    if (refusal) {
      asio::post(context_, [take = std::move(take), refusal = std::move(*refusal)]() mutable {
        take(std::move(refusal));
      });
      return;
    }
    const HeldAgent agent = agents_.held(number);
    under_way_.insert(number);
    before_[number] = {order.verb, agent.pulse ? agent.pulse->last() : base::kNoTime,
                       agent.pulse ? agent.pulse->beats() : std::vector<Pulse::Beat>()};
    if (before_.size() > kMostCommanded) before_.erase(before_.begin());
    std::make_shared<Errand>(context_, agents_, number, order,
                             [this, number, take = std::move(take)](CommandResult result) {
                               under_way_.erase(number);
                               take(std::move(result));
                             })
        ->begin();
  }

  CommandResult judge(std::uint64_t number) const override {
    const auto before = before_.find(number);
    const HeldAgent agent = agents_.held(number);
    if (before == before_.end() || agent.number == 0)
      return {CommandOutcome::failed, "its connection has ended"};
    const Verb verb = before->second.verb;
    const Judgement judgement =
        collector::judge(before->second.beats, before->second.last,
                         agent.pulse ? agent.pulse->beats() : std::vector<Pulse::Beat>());
    if (judgement.finding == Judgement::Finding::worse)
      return {CommandOutcome::failed, judgement.text};
    const bool is_quiet = verb == Verb::stop || verb == Verb::pause;
    if (judgement.finding == Judgement::Finding::silent && !is_quiet)
      return {CommandOutcome::wrong_state, judgement.text};
    return {CommandOutcome::ok, judgement.text};
  }

 private:
  std::optional<CommandResult> fault_of(std::uint64_t number, const std::string* database,
                                        Verb verb) {
    const std::string word(name_of(verb));
    if (!allow_.contains(word))
      return CommandResult{CommandOutcome::forbidden,
                           "its edge does not allow it: control.allow has no " + word};
    const HeldAgent agent = agents_.held(number);
    if (agent.number == 0 || (database != nullptr && agent.database != *database))
      return CommandResult{CommandOutcome::not_reached, "its connection has ended"};
    if (!agent.obeys)
      return CommandResult{CommandOutcome::forbidden,
                           "the agent obeys another client, or connected before control.allow"};
    if (under_way_.contains(number))
      return CommandResult{CommandOutcome::busy, "another command is under way"};
    const auto now = std::chrono::steady_clock::now();
    if (now - second_ >= std::chrono::seconds(1)) second_ = now, of_second_ = 0;
    if (under_way_.size() >= kMostAtOnce || ++of_second_ > kMostOfSecond)
      return CommandResult{CommandOutcome::busy, "its edge has too many commands under way"};
    return std::nullopt;
  }

  struct Before {
    Verb verb{};
    base::Time last = base::kNoTime;
    std::vector<Pulse::Beat> beats{};
  };

  asio::io_context& context_;
  Agents& agents_;
  const std::set<std::string> allow_;
  std::set<std::uint64_t> under_way_;
  std::map<std::uint64_t, Before> before_;  // by number
  std::chrono::steady_clock::time_point second_{};
  unsigned of_second_ = 0;
};

}  // namespace

std::chrono::seconds Executor::longest(Verb verb) { return procedure_of(verb).within; }

std::unique_ptr<Executor> Executor::make(asio::io_context& context, Agents& agents,
                                         const std::vector<std::string>& allow) {
  return std::make_unique<OwnExecutor>(context, agents, allow);
}

}  // namespace polytrace::collector
