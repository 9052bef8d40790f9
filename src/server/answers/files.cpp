// SPDX-License-Identifier: Apache-2.0
#include "server/answers/ask.hpp"
#include "server/root_files.hpp"

namespace polytrace::server {
namespace {

tl::unexpected<Reply> no_root() {
  return tl::unexpected(fault_reply(Fault::not_offered, "no --root was given"));
}

std::string read_file(Members members) { return members.text("file"); }

}  // namespace

Answered answer_files(Ask& ask) {
  const std::string& root = ask.offers.options.root;
  if (root.empty()) return no_root();
  const std::string folder = ask.query.value("dir").value_or("");
  const auto list = list_below(root, folder);
  if (!list) return wrong(list.error().detail);
  AnswerJson answer("files", From::scan);
  answer.json().member("dir", folder);
  answer.json().key("entries");
  answer.json().begin_array();
  for (const RootEntry& entry : list->entries) {
    answer.json().begin_object();
    answer.json().member("name", entry.name);
    answer.json().member("size", entry.size);
    answer.json().key("kind");
    if (entry.kind.empty()) answer.json().null();
    else answer.json().value(entry.kind);
    answer.json().end_object();
  }
  answer.json().end_array();
  return answer.take(list->is_cut);
}

Answered answer_open(Ask& ask) {
  const std::string& root = ask.offers.options.root;
  if (root.empty()) return no_root();
  const std::string relative = read_file(ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const auto file = open_below(root, relative);
  if (!file) return wrong(file.error().detail);
  const auto id = ask.offers.traces.add(file->name, relative, file->held);
  if (!id) return tl::unexpected(fault_reply(id.error(), relative));
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Form::one_line);
  json.begin_object();
  json.member("schema", "polytrace.ui.open/1");
  if (const auto view = ask.offers.traces.find(*id)) write_summary(json, *view);
  json.end_object();
  return Reply{.body = std::move(text)};
}

}  // namespace polytrace::server
