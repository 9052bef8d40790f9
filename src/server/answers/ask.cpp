// SPDX-License-Identifier: Apache-2.0
#include "server/answers/ask.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace polytrace::server {
namespace {

using base::JsonWriter;

constexpr std::size_t kMostRules = 32;

void read_times(Members& members, Part& part) {
  part.from = members.integer("from");
  part.to = members.integer("to");
  if (part.from && part.to && *part.to < *part.from) members.complain("to", "is before \"from\"");
}

void read_threads(const Ask& ask, Members& members, Part& part) {
  part.threads = members.indexes("threads");
  for (const std::uint32_t thread : part.threads)
    if (thread >= ask.trace().threads())
      return members.complain("threads", "has one that there is not");
}

// Exactly one of the ways to say which methods.
NamePattern read_pattern(Members& members) {
  NamePattern pattern;
  unsigned told = 0;
  const auto take = [&](std::string_view name, NamePattern::By by) {
    if (!members.has(name)) return;
    ++told;
    pattern = {.by = by, .text = members.text(name)};
  };
  take("text", NamePattern::By::text);
  take("regex", NamePattern::By::regex);
  take("package", NamePattern::By::package);
  if (const auto method = members.integer("method")) {
    ++told;
    pattern = {.by = NamePattern::By::method, .method = static_cast<std::uint32_t>(*method)};
  }
  if (told != 1) members.complain("op", "needs one of text, regex, package, method beside it");
  return pattern;
}

std::string value_of(const NamePattern& pattern) {
  return pattern.by == NamePattern::By::method ? std::to_string(pattern.method) : pattern.text;
}

void read_rule(Ask& ask, Members members, Part& part) {
  const std::string op = members.text("op");
  const auto known = analysis::find_rule_op(op);
  if (!known) return members.complain("op", "is none of only, not, hide, collapse, root");
  const NamePattern pattern = read_pattern(members);
  auto methods = match_methods(ask.trace(), pattern);
  if (!methods) return ask.body.complain(methods.error());
  const auto count = static_cast<std::uint64_t>(std::ranges::count(*methods, true));
  part.told.push_back({op, word_of(pattern.by), value_of(pattern), count});
  part.rules.push_back({*known, [set = std::move(*methods)](std::uint32_t method) {
                          return method < set.size() && set[method];
                        }});
}

}  // namespace

Part read_selection(Ask& ask, Members& members) {
  Part part;
  part.stop = &ask.stop;
  auto selection = members.object("selection");
  if (!selection) return part;
  read_times(*selection, part);
  read_threads(ask, *selection, part);
  part.helpers = selection->flag("helpers");
  part.fold = selection->flag("fold");
  auto rules = selection->objects("rules");
  if (rules.size() > kMostRules) selection->complain("rules", "has more than 32");
  else
    for (Members& rule : rules) read_rule(ask, std::move(rule), part);
  return part;
}

AnswerJson::AnswerJson(std::string_view name, From from)
    : json_(text_, JsonWriter::Form::one_line) {
  constexpr std::array<std::string_view, 3> kWords{"index", "rare", "scan"};
  json_.begin_object();
  json_.member("schema", "polytrace.ui." + std::string(name) + "/1");
  json_.member("from", kWords[static_cast<std::size_t>(from)]);
}

void AnswerJson::selection(const Part& part) {
  json_.key("selection");
  json_.begin_object();
  write_optional(json_, "from", part.from);
  write_optional(json_, "to", part.to);
  write_numbers(json_, "threads", part.threads);
  json_.key("rules");
  json_.begin_array();
  for (const ToldRule& rule : part.told) {
    json_.begin_object();
    json_.member("op", rule.op);
    json_.member(rule.by, rule.value);
    json_.member("methods", rule.methods);
    json_.end_object();
  }
  json_.end_array();
  json_.member("helpers", part.helpers);
  json_.member("fold", part.fold);
  json_.end_object();
}

Reply AnswerJson::take(bool partial, const std::vector<std::string>& notes) {
  json_.member("partial", partial);
  json_.key("notes");
  json_.begin_array();
  for (const std::string& note : notes) json_.value(note);
  json_.end_array();
  json_.end_object();
  Reply reply;
  reply.body = std::move(text_);
  return reply;
}

void write_summary(JsonWriter& json, const TraceView& view) {
  json.member("id", view.id);
  json.member("name", std::filesystem::path(view.file).filename().string());
  json.member("file", view.file);
  json.member("state", word_of(view.state));
  json.member("read", view.read);
  json.member("size", view.size);
  json.key("seconds_left");
  if (view.seconds_left < 0) json.null();
  else json.value(view.seconds_left);
  if (view.error) json.member("error", service::sentence(view.error->error));
  if (!view.trace) return;
  const store::Facts facts = view.trace->store().facts();
  json.member("format", facts.format);
  json.member("events", facts.totals.events);
  json.member("threads", facts.totals.threads);
  json.member("span", base::elapsed(facts.totals.first, facts.totals.last));
}

}  // namespace polytrace::server
