// SPDX-License-Identifier: Apache-2.0
#include "server/answers/fleet/question.hpp"

#include <ctime>
#include <map>

#include "base/codes.hpp"
#include "fleet/questions.hpp"

namespace polytrace::server {
namespace {

using fleet::Question;
using fleet::Store;
using Result = base::result<fleet::Answer>;

// Members that a question has besides those of all; texts.
using Own = std::map<std::string_view, std::string>;

struct Command {
  std::string_view word;
  std::vector<std::string_view> members;
  Result (*ask)(Store& store, const Question& question, const Own& own);
};

Result ask_steps(Store& store, const Question& question, const Own& own) {
  const std::string& step = own.at("step");
  const auto length = step.empty() ? 0 : fleet::parse_span(step);
  if (!length) return base::Unexpected(length.error());
  return fleet::ask_timeline(store, question, own.at("group_by"), *length);
}

Result ask_figure(Store& store, const Question& question, const Own& own) {
  const auto figure = fleet::find_host_figure(own.at("what"));
  if (figure) return fleet::ask_hosts(store, question, *figure);
  return base::fail(base::Code::usage, "\"what\" is none of pauses, self, alloc");
}

template <analysis::Carrier carrier>
Result ask_carrier(Store& store, const Question& question, const Own& own) {
  return fleet::ask_types(store, question, carrier, own.at("group_by"));
}

// Each as the command of its word asks it.
const std::vector<Command>& commands() {
  static const std::vector<Command> kCommands{
      {"services",
       {},
       [](auto& store, auto& question, auto&) { return fleet::ask_services(store, question); }},
      {"series",
       {},
       [](auto& store, auto& question, auto&) { return fleet::ask_series(store, question); }},
      {"timeline", {"group_by", "step"}, ask_steps},
      {"methods",
       {"name"},
       [](auto& store, auto& question, auto& own) {
         return fleet::ask_methods(store, question, own.at("name"));
       }},
      {"pauses",
       {"group_by"},
       [](auto& store, auto& question, auto& own) {
         return fleet::ask_pauses(store, question, own.at("group_by"));
       }},
      {"moments",
       {"kind", "method"},
       [](auto& store, auto& question, auto& own) {
         return fleet::ask_moments(store, question, own.at("kind"), own.at("method"));
       }},
      {"hosts", {"what"}, ask_figure},
      {"diff", {"base", "offset", "by"}, nullptr},
      {"traces",
       {},
       [](auto& store, auto& question, auto&) { return fleet::ask_traces(store, question); }},
      {"allocations", {"group_by"}, ask_carrier<analysis::Carrier::allocations>},
      {"locks", {"group_by"}, ask_carrier<analysis::Carrier::contentions>},
      {"exceptions", {"group_by"}, ask_carrier<analysis::Carrier::exceptions>}};
  return kCommands;
}

// As the options of the commands have it.
std::string_view usual(std::string_view word, std::string_view member) {
  if (member == "group_by") return word == "timeline" || word == "pauses" ? "service" : "";
  if (member == "by") return "method";
  return member == "what" ? "pauses" : "";
}

std::optional<fleet::DiffBy> find_diff_by(std::string_view word) {
  if (word == "method") return fleet::DiffBy::method;
  if (word == "stack") return fleet::DiffBy::stack;
  if (word == "type") return fleet::DiffBy::type;
  return std::nullopt;
}

struct FleetAsked {
  fleet::QuestionWords words{};
  analysis::TableOptions table{};
  Own own{};
};

FleetAsked read_fleet_asked(const Command& command, Members members) {
  FleetAsked asked{.words = read_words(members)};
  asked.table.sort = members.text("sort");
  asked.table.limit = members.count("limit", 20);
  for (const std::string_view member : command.members)
    asked.own[member] = members.text(member, usual(command.word, member));
  return asked;
}

// A shard may have gone in the meantime.
Answered told(const Store& store, Result answer) {
  if (!answer) return tl::unexpected(fault_reply(answer.error()));
  answer->account.shards = store.shards();
  return Reply{.body = fleet::answer_json(*answer)};
}

// Of two conditions the page shows a fault at the one that has it.
tl::unexpected<Reply> refused(base::Error error, std::string_view member) {
  if (error.code == base::Code::where_wrong) error.place.frame = member;
  return tl::unexpected(fault_reply(error));
}

}  // namespace

fleet::QuestionWords read_words(Members& members) {
  fleet::QuestionWords words;
  words.where = members.text("where");
  words.range = {members.text("last"), members.text("from"), members.text("to")};
  words.resolution = members.text("resolution");
  words.exact = members.flag("exact");
  return words;
}

OrReply<fleet::Question> question_of(const fleet::QuestionWords& words) {
  auto question = fleet::make_question(words, static_cast<std::uint32_t>(std::time(nullptr)));
  if (!question) return refused(question.error(), "where");
  return std::move(*question);
}

OrReply<fleet::Question> earlier_of(const fleet::Question& question, const std::string& base,
                                    const std::string& offset) {
  auto before = fleet::question_before(question, base, offset);
  if (!before) return refused(before.error(), "base");
  return std::move(*before);
}

OrReply<fleet::Store> open_store(const Ask& ask) {
  const auto& offer = ask.offers.options.fleet;
  if (!offer) return tl::unexpected(fault_reply(Fault::not_offered, "no --store was given"));
  warehouse::LinkOptions options = offer->store;
  options.stop = &ask.stop;
  auto store = fleet::Store::open(std::move(options));
  if (!store) return tl::unexpected(fault_reply(store.error()));
  return std::move(*store);
}

Answered answer_fleet_question(Ask& ask) {
  const auto found = std::ranges::find(commands(), ask.words.front(), &Command::word);
  if (found == commands().end()) return tl::unexpected(fault_reply(Fault::unknown_path));
  const FleetAsked asked = read_fleet_asked(*found, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  auto question = question_of(asked.words);
  if (!question) return tl::unexpected(std::move(question.error()));
  question->table = asked.table;
  if (found->ask != nullptr) {
    auto store = open_store(ask);
    if (!store) return tl::unexpected(std::move(store.error()));
    return told(*store, found->ask(*store, *question, asked.own));
  }
  const auto by = find_diff_by(asked.own.at("by"));
  if (!by) return wrong("\"by\" is none of method, stack, type");
  auto before = earlier_of(*question, asked.own.at("base"), asked.own.at("offset"));
  if (!before) return tl::unexpected(std::move(before.error()));
  auto store = open_store(ask);
  if (!store) return tl::unexpected(std::move(store.error()));
  return told(*store, fleet::ask_diff(*store, *before, *question, *by));
}

}  // namespace polytrace::server
