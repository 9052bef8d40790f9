// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fleet_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {

void LoginOptions::add_to(OptionList& list) {
  const char* group = "Store";
  list.add("--user", user_, "Who asks, for the server").takes("NAME").in(group);
  list.add("--password-file", password_file_, "A file whose first line is the user's password")
      .takes("FILE")
      .in(group);
}

void LoginOptions::tell(warehouse::LinkOptions& options) const {
  options.user = user_;
  options.password_file = password_file_;
}

void StoreOptions::add_to(OptionList& list) {
  list.add("--store", address_,
           "The server and its database: http://HOST:8123/DATABASE (default: $POLYTRACE_STORE)")
      .takes("URL")
      .in("Store");
  login_.add_to(list);
}

base::result<warehouse::LinkOptions> StoreOptions::link() const {
  warehouse::LinkOptions options;
  options.address = address_;
  if (const char* told = std::getenv("POLYTRACE_STORE"); address_.empty() && told != nullptr)
    options.address = told;
  if (options.address.empty())
    return base::fail(base::Code::usage, "which store? Say --store URL, or set POLYTRACE_STORE");
  login_.tell(options);
  return options;
}

base::result<fleet::Store> StoreOptions::open() const {
  auto options = link();
  if (!options) return base::Unexpected(options.error());
  return fleet::Store::open(std::move(*options));
}

void EdgeOptions::add_to(OptionList& list) {
  const char* group = "Collector";
  list.add("--edge", url_, "Where its /metrics are").takes("URL").shows_default().in(group);
  list.add("--hub", hub_, "Ask a hub instead, which asks the collector that has the blocks")
      .takes("URL")
      .in(group);
  list.add("--token-file", token_file_,
           "The file with its token, or the hub's, which nobody but its owner may read")
      .takes("FILE")
      .in(group);
  list.add("--ca", ca_, "Whose certificates the hub's must be of (default: the system's)")
      .takes("FILE")
      .in(group);
}

base::result<fleet::Edge> EdgeOptions::edge() const {
  // As long as a hub takes to hand out a piece to who reads slowly.
  constexpr std::chrono::minutes kHubWithin{10};
  if (!hub_.empty() && url_ != kOwnPort)
    return base::fail(base::Code::usage, "--hub and --edge are two ways to the same blocks");
  if (!hub_.empty() && token_file_.empty())
    return base::fail(base::Code::usage, "--hub needs --token-file FILE, a token of role read");
  auto token = agent::control::read_private_token(token_file_);
  if (!token) return base::fail(base::Code::open_failed, token.error().detail);
  if (hub_.empty()) return fleet::Edge{.url = url_, .token = std::move(*token), .ca = ca_};
  return fleet::Edge{.url = hub_, .token = std::move(*token), .ca = ca_, .within = kHubWithin};
}

void ObjectOptions::add_to(OptionList& list) {
  const char* group = "Objects";
  list.add("--objects", to_,
           "Where collectors write what rules keep: folder:/srv/traces, or s3:https://HOST/BUCKET "
           "(default: $POLYTRACE_OBJECTS)")
      .takes("PLACE")
      .in(group);
  list.add("--objects-key", key_file_,
           "Of S3: a file of mode 0600 with the key's name and, in a second line, its secret "
           "(default: $POLYTRACE_OBJECTS_KEY)")
      .takes("FILE")
      .in(group);
  list.add("--objects-region", region_, "Of S3, where it is not us-east-1").takes("NAME").in(group);
}

bool ObjectOptions::is_told() const { return !objects().to.empty(); }

warehouse::ObjectsOptions ObjectOptions::objects() const {
  const auto said = [](const std::string& option, const char* variable) {
    const char* const told = option.empty() ? std::getenv(variable) : nullptr;
    return told == nullptr ? option : std::string(told);
  };
  return {.to = said(to_, "POLYTRACE_OBJECTS"),
          .region = region_,
          .key_file = said(key_file_, "POLYTRACE_OBJECTS_KEY")};
}

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
