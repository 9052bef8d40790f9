// SPDX-License-Identifier: Apache-2.0
// How Firefox Profiler shows markers, and which of its threads has which.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/text/json_writer.hpp"
#include "exports/job/job.hpp"
#include "exports/profiles/markers.hpp"

namespace polytrace::exports {

struct FirefoxMarker {
  const char* type;  // of its schema
  const char* name;
  const char* what;  // what Marker::what is, or null
  int category;      // index in the profile's categories
};
// By MarkerKind.
inline constexpr std::array<FirefoxMarker, kMarkerKinds> kFirefoxMarkers{
    {{"Collection", "Collection", "Generation", 2},
     {"WorldStopped", "World stopped", nullptr, 2},
     {"LockWait", "Waiting for a lock", "Lock", 3},
     {"Wait", "Waiting", "Object", 3},
     {"Exception", "Exception", "Class", 4}}};
inline const FirefoxMarker& firefox_marker(MarkerKind kind) {
  return kFirefoxMarkers[static_cast<std::size_t>(kind)];
}
// Its fields are those of write_marker_data().
void write_marker_schema(base::JsonWriter& json, const FirefoxMarker& marker);
void write_marker_data(base::JsonWriter& json, const Marker& marker, const Markers& all);

// A thread: of the profile, or one that has markers alone.
struct FirefoxRow {
  std::string name;
  base::Id id = base::kNoId;
  std::uint32_t begin = 0;  // its nodes
  std::uint32_t end = 0;
  std::span<const Marker> markers{};  // of ProfileJob::markers
};
std::vector<FirefoxRow> firefox_rows(const ProfileJob& job);

}  // namespace polytrace::exports
