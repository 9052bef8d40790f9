// SPDX-License-Identifier: Apache-2.0
#include "agent/common/options/filters.hpp"

#include <strings.h>

#include <algorithm>

#include "agent/common/tools/text_file.hpp"

namespace polytrace::agent {
namespace {

constexpr std::string_view kBlank = " \t\r";

// The next word of `rest`, which loses it.
std::string_view take_word(std::string_view& rest) {
  const std::size_t begin = std::min(rest.find_first_not_of(kBlank), rest.size());
  rest.remove_prefix(begin);
  const std::size_t end = std::min(rest.find_first_of(kBlank), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

bool same_word(std::string_view word, std::string_view upper) {
  return word.size() == upper.size() && strncasecmp(word.data(), upper.data(), upper.size()) == 0;
}

std::string quoted(std::string_view text) { return "\"" + std::string(text.substr(0, 80)) + "\""; }

}  // namespace

bool Pattern::parse(std::string_view text, Pattern& pattern) {
  const std::size_t star = text.find('*');
  pattern.kind_ = Kind::exact;
  if (text == "*") pattern.kind_ = Kind::all;
  else if (star == text.size() - 1 && !text.empty()) pattern.kind_ = Kind::prefix;
  else if (star == 0) pattern.kind_ = Kind::suffix;
  if (pattern.kind_ == Kind::prefix || pattern.kind_ == Kind::all) text.remove_suffix(1);
  if (pattern.kind_ == Kind::suffix) text.remove_prefix(1);
  pattern.text_ = text;
  return text.find('*') == std::string_view::npos;
}

std::string Pattern::written() const {
  switch (kind_) {
    case Kind::all: return "*";
    case Kind::prefix: return text_ + '*';
    case Kind::suffix: return '*' + text_;
    case Kind::exact: break;
  }
  return text_;
}

bool Pattern::matches(std::string_view name) const {
  switch (kind_) {
    case Kind::exact: return name == text_;
    case Kind::prefix: return name.starts_with(text_);
    case Kind::suffix: return name.ends_with(text_);
    case Kind::all: break;
  }
  return true;
}

void Filters::add(std::string_view type, std::string_view method, bool include, Faults& faults) {
  Rule rule;
  rule.include = include;
  if (type.size() + method.size() > kMostRuleBytes) {
    faults.push_back("a filter rule is longer than 1024 bytes and left out: " + quoted(type));
    return;
  }
  if (!Pattern::parse(type, rule.type) || !Pattern::parse(method, rule.method)) {
    faults.push_back("a filter pattern has its * neither first nor last and is left out: " +
                     quoted(std::string(type) + " " + std::string(method)));
    return;
  }
  if (rules_.size() < kMostRules) rules_.push_back(std::move(rule));
  else faults.push_back("more than 4096 filter rules; left out: " + quoted(type));
}

void Filters::add_lines(std::string_view text, Faults& faults) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view whole = line;
    const std::string_view type = take_word(line);
    if (type.empty() || type.front() == '#') continue;
    const std::string_view method = take_word(line);
    const std::string_view verdict = take_word(line);
    const bool include = same_word(verdict, "INCLUDE");
    if ((!include && !same_word(verdict, "EXCLUDE")) || !take_word(line).empty())
      faults.push_back("not a filter rule (class method INCLUDE|EXCLUDE), left out: " +
                       quoted(whole));
    else add(type, method, include, faults);
    if (faults.size() > kMostRules) return;
  }
}

void Filters::add_short(std::string_view text, Faults& faults) {
  if (short_end_ != rules_.size()) short_begin_ = rules_.size();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    const bool include = part.front() != '-';
    if (!include) part.remove_prefix(1);
    const std::size_t colon = std::min(part.find(':'), part.size());
    const std::string_view method =
        colon < part.size() ? part.substr(colon + 1) : std::string_view("*");
    add(part.substr(0, colon), method, include, faults);
    short_includes_ = short_includes_ || include;
  }
  // Their order says nothing: what is excluded is excluded.
  std::stable_partition(rules_.begin() + static_cast<std::ptrdiff_t>(short_begin_), rules_.end(),
                        [](const Rule& rule) { return !rule.include; });
  short_end_ = rules_.size();
}

void Filters::add_file(const std::string& path, Faults& faults) {
  constexpr std::size_t kMostBytes = 8 << 20;
  std::string text;
  const std::string fault = read_text_file(path, kMostBytes, text);
  if (!fault.empty()) faults.push_back("filters=" + path + ": " + fault);
  add_lines(text, faults);
}

void Filters::add_default(std::string_view class_pattern, bool include) {
  Faults none;
  const std::size_t before = rules_.size();
  add(class_pattern, "*", include, none);
  defaults_ += rules_.size() - before;
}

std::optional<bool> Filters::chosen(std::string_view type, std::string_view method) const {
  for (std::size_t i = 0; i < rules_.size() - defaults_; ++i) {
    const Rule& rule = rules_[i];
    if (rule.type.matches(type) && rule.method.matches(method)) return rule.include;
  }
  if (short_includes_) return false;
  return std::nullopt;
}

bool Filters::includes(std::string_view type, std::string_view method) const {
  for (const Rule& rule : rules_)
    if (rule.type.matches(type) && rule.method.matches(method)) return rule.include;
  return !short_includes_;
}

Verdict Filters::verdict(std::string_view type) const {
  bool some = false;  // a rule with a method pattern takes some in
  bool all = true;    // no rule with a method pattern takes some out
  for (const Rule& rule : rules_) {
    if (!rule.type.matches(type)) continue;
    if (rule.method.kind() == Pattern::Kind::all) {
      if (rule.include) return all ? Verdict::all : Verdict::some;
      return some ? Verdict::some : Verdict::none;
    }
    (rule.include ? some : all) = rule.include;
  }
  if (!short_includes_) return all ? Verdict::all : Verdict::some;
  return some ? Verdict::some : Verdict::none;
}

}  // namespace polytrace::agent
