// SPDX-License-Identifier: Apache-2.0
#include "exports/timelines/chrome_file.hpp"

#include <fmt/format.h>

namespace polytrace::exports {

using base::Time;

ChromeFile::ChromeFile(base::Sink& sink, const Origin& origin)
    : sink_(sink), json_(sink_.text(), base::JsonWriter::Form::one_line), origin_(origin) {
  json_.begin_object();
  json_.member("displayTimeUnit", "ns");
  json_.key("traceEvents");
  json_.begin_array();
}

std::string ChromeFile::head(char phase, std::uint32_t tid) const {
  return fmt::format(",\n{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":", phase, pid(), tid);
}

void ChromeFile::begin_event(const char* phase, std::uint32_t tid) {
  json_.new_line();
  json_.begin_object();
  json_.member("ph", phase);
  json_.member("pid", pid());
  if (tid != 0) json_.member("tid", tid);
}

void ChromeFile::begin_event(const char* phase, std::uint32_t tid, Time time, std::string_view name,
                             std::string_view category) {
  begin_event(phase, tid);
  std::string stamp;
  append_microseconds(stamp, since_start(time));
  json_.key("ts");
  json_.number(stamp);
  if (!name.empty()) json_.member("name", name);
  if (!category.empty()) json_.member("cat", category);
}

void ChromeFile::add_counter(Time time, std::string_view name, double value) {
  begin_event("C", 0, time, name, "");
  begin_arguments();
  json_.member("value", value);
  json_.end_object();
  end_event();
}

void ChromeFile::name_process() { add_name(0, "process_name", origin_.process_or_trace()); }

void ChromeFile::add_name(std::uint32_t tid, std::string_view key, std::string_view name) {
  begin_event("M", tid);
  json_.member("name", key);
  begin_arguments();
  json_.member("name", name);
  json_.end_object();
  end_event();
}

base::result<void> ChromeFile::finish(const Account& account) {
  json_.end_array();
  json_.key("otherData");
  json_.begin_object();
  json_.member("trace", origin_.trace);
  json_.member("runtime", origin_.runtime);
  json_.member("start", start_);  // beyond 2^53: as text
  if (const Time wall = origin_.wall_of(start_); wall != base::kNoTime)
    json_.member("wall_clock_start_ns", wall);
  json_.key("not_in_this_file");
  json_.begin_array();
  for (const std::string& sentence : account.sentences()) json_.value(sentence);
  json_.end_array();
  json_.end_object();
  json_.end_object();
  sink_.text() += '\n';
  return sink_.flush();
}

}  // namespace polytrace::exports
