// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "server/answers/ask.hpp"

namespace polytrace::server {
namespace {

constexpr std::size_t kMostFound = 10'000;

enum class Kind : std::uint8_t { method, class_, thread };

struct SearchAsked {
  Part part{};
  NamePattern pattern{};
  Kind kind = Kind::method;
};

SearchAsked read_search_asked(Ask& ask, Members members) {
  SearchAsked question;
  question.part = read_selection(ask, members);
  if (!question.part.rules.empty())
    members.complain("selection", "has rules, which searches do not follow");
  question.pattern = {.by = members.flag("regex") ? NamePattern::By::regex : NamePattern::By::text,
                      .text = members.text("text"),
                      .heed_case = members.flag("case")};
  const std::string kind = members.text("kind", "method");
  if (kind == "class") question.kind = Kind::class_;
  else if (kind == "thread") question.kind = Kind::thread;
  else if (kind != "method") members.complain("kind", "is none of method, class, thread");
  return question;
}

std::uint32_t count_of(const service::IndexedTrace& trace, Kind kind) {
  if (kind == Kind::method) return trace.methods();
  return kind == Kind::class_ ? trace.classes() : trace.threads();
}
std::string name_of(const service::IndexedTrace& trace, Kind kind, std::uint32_t number) {
  if (kind == Kind::method) return trace.method_name(number);
  return kind == Kind::class_ ? trace.class_name(number) : trace.thread_name(number);
}

struct Figures {
  std::unordered_set<std::string> called;  // names of methods of the set
  std::uint64_t calls = 0;
  std::uint64_t time = 0;   // ns, of calls that are inside no other call of the set
  std::uint64_t whole = 0;  // of all calls of the selection
};

Figures figures_of(const service::IndexedTrace& trace, const store::RangeSums& sums,
                   const std::vector<bool>& set) {
  const store::Paths& paths = trace.store().paths();
  const auto nodes = sums.tree(paths);
  std::vector<bool> inside(nodes.size());
  Figures figures;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const std::uint32_t method = paths.method(nodes[i].own.path);
    const bool fits = method < set.size() && set[method];
    const bool is_inner = inside[nodes[i].caller];
    inside[i] = fits || is_inner;
    if (!fits) continue;
    figures.calls += nodes[i].own.calls;
    if (nodes[i].own.calls > 0) figures.called.insert(trace.method_name(method));
    if (!is_inner) figures.time += nodes[i].total;
  }
  if (!nodes.empty()) figures.whole = nodes.front().total;
  return figures;
}

void write_figures(base::JsonWriter& json, const Figures& figures) {
  json.member("called", static_cast<std::uint64_t>(figures.called.size()));
  json.member("calls", figures.calls);
  json.member("time", figures.time);
  json.key("share");
  if (figures.whole == 0) json.null();
  else json.value(static_cast<double>(figures.time) / static_cast<double>(figures.whole));
}

}  // namespace

Answered answer_search(Ask& ask) {
  const SearchAsked question = read_search_asked(ask, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const auto test = name_test(question.pattern);
  if (!test) return wrong(test.error());
  const service::IndexedTrace& trace = ask.trace();
  std::vector<bool> set(count_of(trace, question.kind));
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < set.size() && !ask.stop; ++i)
    if ((set[i] = (*test)(name_of(trace, question.kind, i)))) found.push_back(i);
  if (was_too_complex()) return tl::unexpected(fault_reply(Fault::pattern_too_complex));
  AnswerJson answer("search", From::index);
  answer.selection(question.part);
  answer.json().member("names", static_cast<std::uint64_t>(found.size()));
  if (question.kind == Kind::method) {
    const auto sums = trace.store().calls(service::range_of(trace, question.part));
    if (!sums) return tl::unexpected(fault_reply(sums.error()));
    write_figures(answer.json(), figures_of(trace, *sums, set));
  }
  const bool cut = found.size() > kMostFound;
  found.resize(std::min(found.size(), kMostFound));
  write_numbers(answer.json(), "ids", found);
  return answer.take(cut);
}

}  // namespace polytrace::server
