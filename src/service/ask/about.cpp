// SPDX-License-Identifier: Apache-2.0
#include "service/ask/about.hpp"

#include "base/text/json_writer.hpp"
#include "format/format.hpp"

namespace polytrace::service {
namespace {

void write_versions(base::JsonWriter& json, const format::Format& format) {
  json.member("reads", format.read_versions);
  json.key("writes");
  json.begin_array();
  for (const std::string_view version : format.write_versions) json.value(version);
  json.end_array();
}

}  // namespace

std::string formats_json() {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.formats/1");
  json.key("formats");
  json.begin_array();
  for (const format::Format* format : format::formats()) {
    json.begin_object();
    json.member("name", format->name);
    json.member("title", format->title);
    json.member("suffix", format->suffix);
    write_versions(json, *format);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out + '\n';
}

std::string version_json() {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.version/1");
  json.member("version", POLYTRACE_VERSION);
  json.member("compiler", __VERSION__);
  json.member("language", std::int64_t{__cplusplus});
  json.key("formats");
  json.begin_array();
  for (const format::Format* format : format::formats()) {
    json.begin_object();
    json.member("name", format->name);
    write_versions(json, *format);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
