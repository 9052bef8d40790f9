// SPDX-License-Identifier: Apache-2.0
#include "server/notes.hpp"

#include "server/answers/ask.hpp"

namespace polytrace::server {
namespace {

Reply notes_reply(Notes notes) {
  return {.body = std::move(notes.text), .fields = {{"ETag", std::move(notes.tag)}}};
}

}  // namespace

Answered answer_notes(Ask& ask) {
  auto notes = load_notes(ask.view.id);
  if (!notes) return tl::unexpected(fault_reply(notes.error()));
  return notes_reply(std::move(*notes));
}

// What they are is the page's business: here they are an object of JSON.
Answered answer_keep_notes(Ask& ask) {
  const std::string_view wanted = ask.request.only("If-Match");
  if (!wanted.empty()) {
    const auto there = load_notes(ask.view.id);
    if (!there) return tl::unexpected(fault_reply(there.error()));
    if (there->tag != wanted) return tl::unexpected(fault_reply(Fault::precondition));
  }
  auto kept = keep_notes(ask.view.id, ask.request.body.empty() ? "{}" : ask.request.body);
  if (!kept) return tl::unexpected(fault_reply(kept.error()));
  return notes_reply(std::move(*kept));
}

}  // namespace polytrace::server
