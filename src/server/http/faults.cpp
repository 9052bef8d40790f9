// SPDX-License-Identifier: Apache-2.0
#include "server/http/faults.hpp"

#include <array>

#include "base/codes.hpp"
#include "service/json/parts.hpp"

namespace polytrace::server {
namespace {

struct Row {
  unsigned status;
  std::string_view code;
  std::string_view sentence;
  std::string_view hint;
};
constexpr std::array kRows{
#define FAULT(name, status, code, sentence, hint) Row{status, code, sentence, hint},
#include "server/http/faults.def"
#undef FAULT
};

Reply told(unsigned status, std::string_view code, std::string_view message, std::string_view hint,
           std::string_view file, const base::Place& place = {}) {
  Reply reply{.status = status};
  base::JsonWriter json(reply.body, base::JsonWriter::Form::one_line);
  json.begin_object();
  json.member("schema", "polytrace.ui.error/1");
  json.member("code", code);
  if (!file.empty()) json.member("file", file);
  json.member("message", message);
  json.member("hint", hint);
  if (!place.frame.empty()) json.member("frame", place.frame);
  if (place.column != 0) json.member("column", place.column);
  json.end_object();
  return reply;
}

unsigned status_of(base::Code code) {
  switch (code) {
    case base::Code::query_wrong:
    case base::Code::where_wrong: return 400;
    case base::Code::query_refused: return 403;
    case base::Code::query_timeout:
    case base::Code::limit_exceeded: return 413;
    case base::Code::schema_missing:
    case base::Code::schema_newer: return 409;
    case base::Code::store_unreachable:
    case base::Code::store_refused:
    case base::Code::store_answer: return 502;
    default: return 500;
  }
}

}  // namespace

Reply fault_reply(Fault fault, std::string_view detail) {
  const Row& row = kRows[static_cast<std::size_t>(fault)];
  std::string message(row.sentence);
  if (!detail.empty()) message += ": " + std::string(detail);
  Reply reply = told(row.status, row.code, message, row.hint, {});
  if (fault == Fault::busy) reply.fields.push_back({"Retry-After", "1"});
  return reply;
}

Reply fault_reply(http::Broken what, std::string_view detail) {
  switch (what) {
    case http::Broken::malformed: return fault_reply(Fault::request_invalid, detail);
    case http::Broken::head_too_large: return fault_reply(Fault::head_too_large, detail);
    case http::Broken::body_too_large: return fault_reply(Fault::body_too_large, detail);
    case http::Broken::busy: break;
  }
  return fault_reply(Fault::busy, detail);
}

Reply fault_reply(const base::Error& error, std::string_view file) {
  if (error.code == base::Code::usage || error.code == base::Code::key_unknown ||
      error.code == base::Code::time_outside)
    return fault_reply(Fault::request_invalid, error.detail);
  const base::CodeInfo& info = base::describe(error.code);
  return told(status_of(error.code), info.name, service::sentence(error), info.next, file,
              error.place);
}

}  // namespace polytrace::server
