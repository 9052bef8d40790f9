// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>

#include "base/codes.hpp"
#include "collector/config/config.hpp"

namespace polytrace::collector {
namespace {

constexpr std::string_view kRuleForm =
    "a [[rule]] has name, when (\"pause_max_ns > 500ms\"), do (\"keep 60s\") and per_hour";
constexpr std::size_t kLongestRuleName = 64;

base::Unexpected wrong_rule(const toml::node& node, std::string why) {
  const toml::source_position& at = node.source().begin;
  return base::fail(base::Code::usage, std::move(why), {.line = at.line, .column = at.column});
}

// A text of the rule; empty: it has none.
std::string rule_text(const toml::table& table, std::string_view key) {
  const toml::node* const node = table.get(key);
  return node == nullptr ? std::string() : node->value_exact<std::string>().value_or("");
}

// It is written into a table, and shown.
bool is_rule_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestRuleName &&
         std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != ','; });
}

base::result<void> read_do(const toml::table& table, Rule& rule) {
  constexpr std::string_view kKeep = "keep ";
  const std::string text = rule_text(table, "do");
  const toml::node* const node = table.get("do");
  const bool is_right = text.starts_with(kKeep) &&
                        parse_time(std::string_view(text).substr(kKeep.size()), rule.around) &&
                        rule.around <= kMostAround;
  if (is_right) return {};
  return wrong_rule(node == nullptr ? static_cast<const toml::node&>(table) : *node,
                    "rule.do is \"keep TIME\", such as \"keep 60s\", of at most an hour");
}

base::result<Rule> read_rule(const toml::node& node) {
  constexpr std::array<std::string_view, 4> kKnown = {"name", "when", "do", "per_hour"};
  const toml::table* const table = node.as_table();
  if (table == nullptr) return wrong_rule(node, std::string(kRuleForm));
  for (const auto& [key, value] : *table)
    if (std::ranges::find(kKnown, key.str()) == kKnown.end())
      return wrong_rule(value,
                        fmt::format("there is no key \"rule.{}\": {}", key.str(), kRuleForm));
  Rule rule{.name = rule_text(*table, "name"), .when = rule_text(*table, "when")};
  if (!is_rule_name(rule.name))
    return wrong_rule(node, fmt::format("rule.name is a text of at most {} letters of ASCII, "
                                        "without commas",
                                        kLongestRuleName));
  const auto test = parse_comparison(rule.when);
  if (!test)
    return wrong_rule(table->get("when") == nullptr ? node : *table->get("when"),
                      "rule.when: " + test.error().detail);
  rule.test = *test;
  if (auto done = read_do(*table, rule); !done) return base::Unexpected(done.error());
  if (const toml::node* const limit = table->get("per_hour")) {
    const auto number = limit->value_exact<std::int64_t>();
    if (!number || *number < 1 || static_cast<std::uint64_t>(*number) > kMostPerHour)
      return wrong_rule(*limit,
                        fmt::format("rule.per_hour is a number from 1 to {}", kMostPerHour));
    rule.per_hour = static_cast<std::uint64_t>(*number);
  }
  return rule;
}

}  // namespace

base::result<std::vector<Rule>> parse_rules(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  std::vector<Rule> rules;
  const toml::node* const node = parsed ? parsed.table().get("rule") : nullptr;
  if (node == nullptr) return rules;
  const toml::array* const list = node->as_array();
  if (list == nullptr || list->size() > kMostRules)
    return wrong_rule(*node, fmt::format("{}, and there are at most {}", kRuleForm, kMostRules));
  for (const toml::node& one : *list) {
    auto rule = read_rule(one);
    if (!rule) return base::Unexpected(rule.error());
    if (std::ranges::find(rules, rule->name, &Rule::name) != rules.end())
      return wrong_rule(one, fmt::format("two rules are called \"{}\"", rule->name));
    rules.push_back(std::move(*rule));
  }
  return rules;
}

}  // namespace polytrace::collector
