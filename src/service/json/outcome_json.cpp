// SPDX-License-Identifier: Apache-2.0
#include "base/codes.hpp"
#include "service/json/parts.hpp"

namespace polytrace::service {
namespace {

void write_place(base::JsonWriter& json, const base::Place& place) {
  json.key("offset");
  if (place.offset == base::kNoOffset) json.null();
  else json.value(place.offset);
  if (!place.frame.empty()) json.member("frame", place.frame);
  if (place.line != 0) {
    json.member("line", place.line);
    json.member("column", place.column);
  }
}

}  // namespace

std::string sentence(const base::Error& error) {
  if (error.code == base::Code::usage && !error.detail.empty()) return error.detail;
  return base::to_text(error);
}

std::string error_json(const base::Error& error, std::string_view file) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Form::one_line);
  const base::CodeInfo& info = base::describe(error.code);
  json.begin_object();
  json.member("code", info.name);
  json.key("file");
  if (file.empty()) json.null();
  else json.value(file);
  write_place(json, error.place);
  json.member("message", sentence({error.code, {}, error.detail}));
  json.member("hint", info.next);
  json.end_object();
  return out + '\n';
}

void write_notice(base::JsonWriter& json, const base::Notice& notice) {
  const base::CodeInfo& info = base::describe(notice.code);
  json.begin_object();
  json.member("code", info.name);
  write_place(json, notice.first);
  json.member("message", sentence({notice.code, {}, notice.detail}));
  json.member("count", notice.count);
  json.member("bytes", notice.bytes);
  json.member("hint", info.next);
  json.end_object();
}

void write_notices(base::JsonWriter& json, const std::vector<base::Notice>& notices) {
  json.begin_array();
  for (const base::Notice& notice : notices) write_notice(json, notice);
  json.end_array();
}

void write_places(base::JsonWriter& json, const std::vector<base::Notice>& notices) {
  const auto write = [&json](const base::Notice& notice, const base::Place& place,
                             const std::string& detail) {
    json.begin_object();
    json.member("code", base::describe(notice.code).name);
    write_place(json, place);
    json.member("detail", detail);
    json.end_object();
  };
  json.begin_array();
  for (const base::Notice& notice : notices) {
    write(notice, notice.first, notice.detail);
    for (const base::Occurrence& other : notice.others) write(notice, other.place, other.detail);
  }
  json.end_array();
}

void write_origin(base::JsonWriter& json, const Origin& origin) {
  json.member("file", origin.file);
  json.key("format");
  json.begin_object();
  json.member("name", origin.format->name);
  json.member("title", origin.format->title);
  json.member("version", origin.version);
  json.end_object();
}

void write_outcome(base::JsonWriter& json, const Passed& passed) {
  json.member("partial", passed.is_partial());
  json.member("interrupted", passed.interrupted);
  json.member("bytes_not_read", passed.bytes_lost());
  json.key("notices");
  write_notices(json, passed.notices);
  json.key("error");
  if (passed.outcome.error)
    write_notice(json, {passed.outcome.error->code, 1, 0, passed.outcome.error->place,
                        passed.outcome.error->detail});
  else json.null();
}

}  // namespace polytrace::service
