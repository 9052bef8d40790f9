// SPDX-License-Identifier: Apache-2.0
#include "exports/profiles/firefox_markers.hpp"

#include <algorithm>

namespace polytrace::exports {

using analysis::Profile;
using base::JsonWriter;

namespace {

void write_marker_field(JsonWriter& json, std::string_view key, std::string_view label) {
  json.begin_object();
  json.member("key", key);
  json.member("label", label);
  json.member("format", "string");
  json.end_object();
}

}  // namespace

void write_marker_schema(JsonWriter& json, const FirefoxMarker& marker) {
  const char* label = marker.what == nullptr ? "{marker.name}" : "{marker.data.what}";
  json.begin_object();
  json.member("name", marker.type);
  json.member("tooltipLabel", "{marker.name}");
  json.member("tableLabel", label);
  json.member("chartLabel", label);
  json.key("display");
  json.begin_array();
  for (const char* place : {"marker-chart", "marker-table", "timeline-overview"}) json.value(place);
  json.end_array();
  json.key("fields");
  json.begin_array();
  if (marker.what != nullptr) write_marker_field(json, "what", marker.what);
  if (&marker == &firefox_marker(MarkerKind::lock)) {
    write_marker_field(json, "owner", "Held by");
    write_marker_field(json, "result", "Result");
  }
  json.end_array();
  json.end_object();
}

void write_marker_data(JsonWriter& json, const Marker& marker, const Markers& all) {
  json.begin_object();
  json.member("type", firefox_marker(marker.kind).type);
  if (marker.what != 0) json.member("what", all.texts()[marker.what]);
  if (marker.owner != 0) json.member("owner", all.texts()[marker.owner]);
  if (marker.failed) json.member("result", "failed");
  json.end_object();
}

std::vector<FirefoxRow> firefox_rows(const ProfileJob& job) {
  std::vector<FirefoxRow> rows;
  const auto& threads = job.pruned.profile.threads;
  for (const Profile::Thread& thread : threads)
    rows.push_back(
        {thread.name.empty() ? "all threads" : thread.name, thread.id, thread.begin, thread.end});
  if (job.markers == nullptr) return rows;
  for (std::uint32_t i = 0; i < job.markers->threads().size(); ++i) {
    const Markers::Thread& one = job.markers->threads()[i];
    const auto markers = std::ranges::equal_range(job.markers->all(), i, {}, &Marker::thread);
    if (markers.empty()) continue;
    const auto same = std::ranges::find_if(threads, [&](const Profile::Thread& thread) {
      return thread.id == one.id && thread.first == one.first;
    });
    if (same == threads.end()) rows.push_back({one.name, one.id, 0, 0, markers});
    else rows[static_cast<std::size_t>(same - threads.begin())].markers = markers;
  }
  return rows;
}

}  // namespace polytrace::exports
