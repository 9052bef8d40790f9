// SPDX-License-Identifier: Apache-2.0
#include "server/answers/ask.hpp"
#include "service/ask/report.hpp"
#include "service/json/parts.hpp"

namespace polytrace::server {
namespace {

struct TablesAsked {
  Part part{};
  service::ReportQuestion report{};
};

TablesAsked read_tables_asked(Ask& ask, Members members) {
  TablesAsked question;
  question.part = read_selection(ask, members);
  if (!question.part.rules.empty())
    members.complain("selection", "has rules, which tables do not follow");
  for (const std::string& section : members.texts("sections")) {
    if (!question.report.sections.empty()) question.report.sections += ',';
    question.report.sections += section;
  }
  question.report.table.limit = members.count("limit", 20);
  question.report.table.sort = members.text("sort");
  question.report.durations = members.flag("durations", true);
  slice::Selection selection = service::selection_of(ask.trace(), question.part);
  if (const auto method = members.integer("method"))
    selection.method = ask.trace().method_name(static_cast<std::uint32_t>(*method));
  question.report.chosen = std::move(selection);
  return question;
}

void write_empty(base::JsonWriter& json, const std::vector<service::EmptySection>& all) {
  json.key("empty_sections");
  json.begin_array();
  for (const service::EmptySection& one : all) {
    json.begin_object();
    json.member("section", one.section->key);
    json.member("reason", one.reason);
    json.member("text", one.text);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Answered answer_tables(Ask& ask) {
  const TablesAsked question = read_tables_asked(ask, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const auto input = ask.trace().input(&ask.stop);
  const auto made = service::ask_report(*input, question.report);
  if (!made) return tl::unexpected(fault_reply(made.error()));
  if (made->reading.passed.interrupted) return tl::unexpected(fault_reply(Fault::busy, "stopped"));
  AnswerJson answer("tables", From::scan);
  answer.selection(question.part);
  write_optional(answer.json(), "start",
                 made->start == base::kNoTime ? std::nullopt : std::optional(made->start));
  service::write_tables(answer.json(), made->tables);
  write_empty(answer.json(), made->empty);
  answer.json().key("notices");
  service::write_notices(answer.json(), made->reading.passed.notices);
  return answer.take(made->reading.passed.is_partial());
}

}  // namespace polytrace::server
