// SPDX-License-Identifier: Apache-2.0
#include "service/ask/heap.hpp"

#include <algorithm>
#include <array>

#include "server/answers/ask.hpp"

namespace polytrace::server {
namespace {

using What = service::HeapQuestion::What;

struct Word {
  std::string_view word;
  What what;
};
constexpr std::array kQuestions{
    Word{"summary", What::summary},
    Word{"classes", What::classes},
    Word{"dominators", What::dominators},
    Word{"suspects", What::suspects},
    Word{"unreachable", What::unreachable},
    Word{"referrers", What::referrers},
    Word{"path", What::path},
};

// Of one snapshot, or what grew between two.
struct HeapAsked {
  service::HeapQuestion heap{};
  bool is_growth = false;
  service::GrowthQuestion growth{};
};

std::optional<std::uint64_t> snapshot(Members& members, std::string_view name) {
  if (!members.has(name)) return std::nullopt;
  return members.count(name, 0);
}

HeapAsked read_heap_asked(const Ask& ask, Members members) {
  HeapAsked question;
  const std::string word = members.text("question", "summary");
  const auto known = std::ranges::find(kQuestions, word, &Word::word);
  question.is_growth = word == "growth";
  if (known != kQuestions.end()) question.heap.what = known->what;
  else if (!question.is_growth)
    members.complain("question",
                     "is none of summary, classes, dominators, suspects, unreachable, "
                     "referrers, path, growth");
  question.heap.subject = members.text("what");
  question.heap.snapshot = snapshot(members, "snapshot");
  question.heap.table.limit = members.count("limit", 20);
  question.heap.table.sort = members.text("sort");
  if (!question.is_growth) return question;
  question.growth.after = ask.trace().file();
  question.growth.table = question.heap.table;
  question.growth.from = snapshot(members, "from_snapshot");
  question.growth.to = question.heap.snapshot;
  return question;
}

service::Asked<service::TableAnswer> ask_tables(const Ask& ask, HeapAsked& question) {
  const auto input = ask.trace().input(&ask.stop);
  if (!question.is_growth) return service::ask_heap(*input, question.heap);
  question.growth.reading = input->options();
  return service::ask_growth(question.growth, input->asking());
}

}  // namespace

Answered answer_heap(Ask& ask) {
  HeapAsked question = read_heap_asked(ask, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const auto made = ask_tables(ask, question);
  if (!made) return tl::unexpected(fault_reply(made.error()));
  AnswerJson answer("heap", From::scan);
  service::write_tables(answer.json(), made->tables);
  return answer.take(made->reading.passed.is_partial());
}

}  // namespace polytrace::server
