// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"

#include <algorithm>
#include <ctime>

#include "base/codes.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {

void QuestionOptions::add_to(OptionList& list, std::string_view to) {
  const char* group = "Selection";
  list.add("--where", words_.where,
           "Only processes with such labels: service=\"shop\" and not region=~\"^eu\". Labels are "
           "service, version, host, instance, runtime, agent and free ones; tests are =, !=, =~ "
           "and !~ (a regular expression that fits somewhere), and in (\"a\", \"b\")")
      .takes("CONDITION")
      .in(group);
  list.add("--last", words_.range.last,
           "So much time up to the end of the range: 30min, 6h, 7d (default: 1h)")
      .takes("TIME")
      .in(group);
  list.add("--from", words_.range.from, "From here on: 2026-11-21T10:00:00Z, or seconds since 1970")
      .takes("TIME")
      .in(group);
  list.add(to, words_.range.to, "Up to here (default: now)").takes("TIME").in(group);
  list.add("--resolution", words_.resolution,
           "Rather from rows of this length, where there are such: 10s, 1m or 1h (default: by the "
           "length of the range)")
      .one_of({"10s", "1m", "1h"})
      .takes("TIME")
      .in(group);
  list.add("--exact", words_.exact,
           "Count rows that were sent twice once, also where nothing says that there are any")
      .in(group);
}

base::result<fleet::Question> QuestionOptions::question() const {
  return fleet::make_question(words_, static_cast<std::uint32_t>(std::time(nullptr)));
}

std::string account_text(const fleet::Account& account) {
  std::string text;
  for (const std::string& line : fleet::account_lines(account))
    text += (text.empty() ? "" : "\n") + printable(line);
  return text;
}

int code_of(const fleet::Account& account) {
  return account.shards.answered < account.shards.all ? 4 : 0;
}

int tell_fleet(Session& session, fleet::Answer answer, const TableOutput& output) {
  const TableForm form = output.form(session);
  if (auto good = output.apply(answer.tables); !good) return session.fail(good.error());
  if (form == TableForm::text) session.page();
  else session.out().expect_no_styles();
  std::string& out = session.out().text();
  std::string account = account_text(answer.account);
  if (answer.before) account = "before: " + account_text(*answer.before) + "\nafter: " + account;
  if (output.goes_to_folder()) {
    if (auto done = output.write(session, answer.tables); !done) return session.fail(done.error());
  } else if (form == TableForm::json) {
    out += fleet::answer_json(answer);
  } else if (is_of_rows(form)) {
    append_rows(out, answer.tables, form);
  } else {
    out += form == TableForm::text ? account + '\n' : markdown_text(account) + "\n\n";
    for (const analysis::Table& table : answer.tables)
      form == TableForm::text ? void(append_text(out, table, session.look()))
                              : append_markdown(out, table, session.look());
  }
  if (is_of_rows(form)) session.remark(account);
  return std::max(code_of(answer.account), answer.before ? code_of(*answer.before) : 0);
}

int tell_fleet(Session& session, base::result<fleet::Answer> answer, const TableOutput& output) {
  if (!answer) return session.fail(answer.error());
  return tell_fleet(session, std::move(*answer), output);
}

void FleetQuestion::define(OptionList& list) {
  store_.add_to(list);
  question_.add_to(list, "--to");
  output_.add_to(list);
}

int FleetQuestion::run(Session& session) {
  if (auto good = output_.check(session); !good) return session.fail(good.error());
  auto question = question_.question();
  if (!question) return session.fail(question.error());
  question->table = output_.options();
  auto store = store_.open();
  if (!store) return session.fail(store.error());
  auto answer = ask(*store, *question);
  if (answer) answer->account.shards = store->shards();  // one may have gone in the meantime
  return tell_fleet(session, std::move(answer), output_);
}

void TypeQuestion::define(OptionList& list) {
  FleetQuestion::define(list);
  list.add("--group-by", label_, "A row of its own for each value of this label")
      .takes("LABEL")
      .in("Selection");
}

base::result<fleet::Answer> TypeQuestion::ask(fleet::Store& store,
                                              const fleet::Question& question) {
  return fleet::ask_types(store, question, carrier_, label_);
}

}  // namespace polytrace::cli
