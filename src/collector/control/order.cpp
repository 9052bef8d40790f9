// SPDX-License-Identifier: Apache-2.0
#include "collector/control/order.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "agent/common/options/options.hpp"
#include "base/codes.hpp"
#include "collector/config/config.hpp"
#include "event/choice/name_choice.hpp"

namespace polytrace::collector {
namespace {

using service::JsonBody;
using service::JsonMembers;
using warehouse::Where;

constexpr std::size_t kMostEvents = 32;
constexpr std::size_t kLongestEvent = 64;
constexpr std::size_t kMostFilters = 64;
constexpr std::size_t kLongestFilter = 240;
constexpr std::size_t kLongestNote = 1000;
constexpr std::size_t kLongestCondition = 4096;
constexpr std::size_t kLongestExpression = 200;
constexpr std::chrono::milliseconds kLongestRecording{std::chrono::hours(24)};
constexpr std::chrono::milliseconds kLongestPatience{std::chrono::minutes(10)};
constexpr std::chrono::milliseconds kShortestWait{1000};
constexpr double kFastest = 100, kSlowest = 0.01;

bool begins(Verb verb) { return verb == Verb::start || verb == Verb::level; }

bool are_plain(const std::vector<std::string>& texts, std::size_t most, std::size_t longest) {
  return texts.size() <= most && std::ranges::all_of(texts, [&](const std::string& text) {
           return !text.empty() && text.size() <= longest && text.find('\n') == text.npos &&
                  text.find('\0') == text.npos;
         });
}

std::chrono::milliseconds read_time(JsonMembers& members, std::string_view name,
                                    std::chrono::milliseconds otherwise,
                                    std::chrono::milliseconds least,
                                    std::chrono::milliseconds most) {
  const std::string text = members.text(name);
  if (text.empty()) return otherwise;
  std::uint64_t ns = 0;
  std::chrono::seconds hours{0};  // or days
  const bool is_time = agent::parse_duration(text, ns) || parse_time(text, hours);
  const std::chrono::milliseconds time = std::chrono::milliseconds(ns / 1'000'000) + hours;
  if (!is_time || time < least || time > most)
    members.complain(name, fmt::format("is no time from {} ms to {} s: \"30s\"", least.count(),
                                       most.count() / 1000));
  return time;
}

Selection read_selection(JsonMembers& members) {
  Selection selection;
  selection.where = members.text("where");
  if (selection.where.empty()) members.complain("where", "is needed: service=\"shop\"");
  selection.limit = members.count("limit", 1, kMostCommanded);
  if (selection.limit == 0) members.complain("limit", "is from 1 to 1000");
  selection.rate = members.number("rate").value_or(1);
  if (!(selection.rate >= kSlowest && selection.rate <= kFastest))
    members.complain("rate", "is from 0.01 to 100, a second");
  selection.canary = members.count("canary", 1, kMostCommanded);
  selection.wait = read_time(members, "wait", selection.wait, kShortestWait, kLongestPatience);
  const double seconds = static_cast<double>(selection.limit) / selection.rate;
  if (seconds > static_cast<double>(kLongestCampaign.count()))
    members.complain("rate", "is so low that it would take more than an hour: ask for fewer");
  return selection;
}

// The label's value; a label that a program has not is the empty text.
std::string_view value_of(const warehouse::Labels& labels, std::string_view key) {
  if (key == "service") return labels.service;
  if (key == "version") return labels.version;
  if (key == "host") return labels.host;
  if (key == "instance") return labels.instance;
  if (key == "runtime") return labels.runtime;
  if (key == "agent") return labels.agent;
  for (const auto& [name, value] : labels.free)
    if (name == key) return value;
  return {};
}

bool fits(const std::string& expression, std::string_view value) {
  const auto choice = event::NameChoice::fitting(expression);
  return choice && choice->has(value);
}

bool passes(const Where& where, std::string_view value) {
  switch (where.test) {
    case Where::Test::equal: return value == where.values.front();
    case Where::Test::unequal: return value != where.values.front();
    case Where::Test::found: return fits(where.values.front(), value);
    case Where::Test::not_found: return !fits(where.values.front(), value);
    case Where::Test::one_of: return std::ranges::find(where.values, value) != where.values.end();
  }
  return false;
}

// What takes an expression's compiler or matcher beyond all bounds.
bool is_tame(std::string_view expression) {
  if (expression.size() > kLongestExpression || expression.find('{') != expression.npos)
    return false;
  for (std::size_t i = 0; i + 1 < expression.size(); ++i)
    if (expression[i] == '\\' && expression[i + 1] >= '0' && expression[i + 1] <= '9') return false;
  return true;
}

base::result<void> check_expressions(const Where& where) {
  const bool is_expression =
      where.kind == Where::Kind::test &&
      (where.test == Where::Test::found || where.test == Where::Test::not_found);
  if (is_expression) {
    const std::string& text = where.values.front();
    if (!is_tame(text))
      return base::fail(base::Code::where_wrong,
                        "an expression for commands has at most 200 bytes, no {} and no \\1");
    if (auto made = event::NameChoice::fitting(text); !made)
      return base::fail(base::Code::where_wrong, made.error().detail);
  }
  for (const Where& part : where.parts)
    if (auto checked = check_expressions(part); !checked) return checked;
  return {};
}

}  // namespace

std::optional<Verb> find_verb(std::string_view word) {
  const auto* const found = std::ranges::find(kVerbs, word);
  if (found == kVerbs.end()) return std::nullopt;
  return static_cast<Verb>(found - kVerbs.begin());
}

Order read_order(Verb verb, JsonMembers& members) {
  Order order{.verb = verb};
  if (begins(verb)) {
    order.events = members.texts("events");
    if (!are_plain(order.events, kMostEvents, kLongestEvent))
      members.complain("events", "has more than 32 texts, or one of more than 64 bytes");
    if (verb == Verb::level && order.events.empty())
      members.complain("events", "is needed: [\"gc\", \"monitors\"]");
    order.duration =
        read_time(members, "duration", {}, std::chrono::milliseconds(100), kLongestRecording);
    if (order.duration.count() == 0)
      members.complain("duration", "is needed, so that it ends: \"60s\"");
    const std::string size = members.text("size");
    if (!size.empty() && (!agent::parse_size(size, order.limit_bytes) || order.limit_bytes == 0))
      members.complain("size", "is no size: \"100m\"");
  }
  if (begins(verb) || verb == Verb::filters) {
    order.filters = members.texts("filters");
    if (!are_plain(order.filters, kMostFilters, kLongestFilter))
      members.complain("filters", "has more than 64 rules, or one of more than 240 bytes");
    if (verb == Verb::filters && order.filters.empty())
      members.complain("filters", "is needed: [\"com.acme.* * INCLUDE\", \"* * EXCLUDE\"]");
  }
  if (verb == Verb::annotate) {
    order.text = members.text("text");
    if (order.text.empty() || order.text.size() > kLongestNote)
      members.complain("text", "is needed, of at most 1000 bytes");
  }
  return order;
}

base::result<Wish> parse_wish(Verb verb, const std::string& json) {
  JsonBody body(json);
  Wish wish;
  {
    JsonMembers members = body.members();
    if (body.fault().empty()) {
      wish.selection = read_selection(members);
      wish.order = read_order(verb, members);
    }
  }
  if (!body.fault().empty()) return base::fail(base::Code::usage, body.fault());
  if (const auto where = parse_condition(wish.selection.where); !where)
    return base::Unexpected(where.error());
  return wish;
}

void write_order(base::JsonWriter& json, const Order& order) {
  const auto list = [&](std::string_view name, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    json.key(name);
    json.begin_array();
    for (const std::string& text : texts) json.value(text);
    json.end_array();
  };
  list("events", order.events);
  list("filters", order.filters);
  if (order.duration.count() != 0)
    json.member("duration", fmt::format("{}ms", order.duration.count()));
  if (order.limit_bytes != 0) json.member("size", fmt::to_string(order.limit_bytes));
  if (!order.text.empty()) json.member("text", order.text);
}

std::string to_text(const Order& order) {
  std::string text(name_of(order.verb));
  if (!order.events.empty()) text += fmt::format(" events={}", fmt::join(order.events, "+"));
  if (!order.filters.empty()) text += fmt::format(" filters={}", fmt::join(order.filters, "; "));
  if (order.duration.count() != 0)
    text += fmt::format(" duration={:g}s", static_cast<double>(order.duration.count()) / 1000);
  if (order.limit_bytes != 0) text += fmt::format(" size={}", order.limit_bytes);
  if (!order.text.empty()) text += " " + order.text;
  return text;
}

bool matches(const Where& where, const warehouse::Labels& labels) {
  const auto fit = [&](const Where& part) { return matches(part, labels); };
  switch (where.kind) {
    case Where::Kind::everything: return true;
    case Where::Kind::test: return passes(where, value_of(labels, where.key));
    case Where::Kind::negation: return !matches(where.parts.front(), labels);
    case Where::Kind::all_of: return std::ranges::all_of(where.parts, fit);
    case Where::Kind::any_of: return std::ranges::any_of(where.parts, fit);
  }
  return false;
}

base::result<Where> parse_condition(std::string_view text) {
  if (text.size() > kLongestCondition)
    return base::fail(base::Code::where_wrong, "it is longer than 4 KiB");
  auto where = warehouse::parse_where(text);
  if (!where) return where;
  if (auto checked = check_expressions(*where); !checked) return base::Unexpected(checked.error());
  return where;
}

}  // namespace polytrace::collector
