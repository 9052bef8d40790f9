// SPDX-License-Identifier: Apache-2.0
// The messages in which other tools tell profiles, by field number: pprof's profile.proto, and
// OpenTelemetry's profiles as they are from 1.10 to 1.11, and Pyroscope's envelope around pprof;
// and what all of them call our figures. For who writes them and for who reads them.
#pragma once

#include <protozero/types.hpp>
#include <string_view>

#include "analysis/profile/profile.hpp"

namespace polytrace::exports {

using FieldNumber = protozero::pbf_tag_type;

// --- profile.proto ---
enum class PprofProfile : FieldNumber {
  sample_type = 1,
  sample = 2,
  mapping = 3,
  location = 4,
  function = 5,
  string_table = 6,
  drop_frames = 7,
  keep_frames = 8,
  time_nanos = 9,
  duration_nanos = 10,
  period_type = 11,
  period = 12,
  comment = 13,
  default_sample_type = 14,
  doc_url = 15
};
enum class PprofValueType : FieldNumber { type = 1, unit = 2 };
enum class PprofSample : FieldNumber { location_id = 1, value = 2, label = 3 };
enum class PprofLabel : FieldNumber { key = 1, str = 2, num = 3, num_unit = 4 };
enum class PprofMapping : FieldNumber { id = 1, memory_start = 2, file_offset = 4, filename = 5 };
enum class PprofLocation : FieldNumber { id = 1, mapping_id = 2, address = 3, line = 4 };
enum class PprofLine : FieldNumber { function_id = 1, line = 2 };
enum class PprofFunction : FieldNumber {
  id = 1,
  name = 2,
  system_name = 3,
  filename = 4,
  start_line = 5
};

// --- opentelemetry/proto/profiles/v1development ---
enum class OtlpRequest : FieldNumber { resource_profiles = 1, dictionary = 2 };
enum class OtlpResponse : FieldNumber { partial_success = 1 };
enum class OtlpPartialSuccess : FieldNumber { rejected_profiles = 1, error_message = 2 };
enum class OtlpDictionary : FieldNumber {
  mapping_table = 1,
  location_table = 2,
  function_table = 3,
  link_table = 4,
  string_table = 5,
  attribute_table = 6,
  stack_table = 7
};
enum class OtlpResourceProfiles : FieldNumber { resource = 1, scope_profiles = 2, schema_url = 3 };
enum class OtlpResource : FieldNumber { attributes = 1, dropped_attributes_count = 2 };
enum class OtlpKeyValue : FieldNumber { key = 1, value = 2 };
enum class OtlpAnyValue : FieldNumber {
  string_value = 1,
  bool_value = 2,
  int_value = 3,
  double_value = 4
};
enum class OtlpScopeProfiles : FieldNumber { scope = 1, profiles = 2, schema_url = 3 };
enum class OtlpScope : FieldNumber { name = 1, version = 2 };
enum class OtlpProfile : FieldNumber {
  sample_type = 1,
  samples = 2,
  time_unix_nano = 3,
  duration_nano = 4,
  period_type = 5,
  period = 6,
  profile_id = 7,
  dropped_attributes_count = 8,
  original_payload_format = 9,
  original_payload = 10,
  attribute_indices = 11
};
enum class OtlpSample : FieldNumber {
  stack_index = 1,
  attribute_indices = 2,
  link_index = 3,
  values = 4,
  timestamps_unix_nano = 5
};
enum class OtlpValueType : FieldNumber { type_strindex = 1, unit_strindex = 2 };
enum class OtlpStack : FieldNumber { location_indices = 1 };
enum class OtlpLocation : FieldNumber {
  mapping_index = 1,
  address = 2,
  lines = 3,
  attribute_indices = 4
};
enum class OtlpLine : FieldNumber { function_index = 1, line = 2, column = 3 };
enum class OtlpFunction : FieldNumber {
  name_strindex = 1,
  system_name_strindex = 2,
  filename_strindex = 3,
  start_line = 4
};
enum class OtlpMapping : FieldNumber {
  memory_start = 1,
  memory_limit = 2,
  file_offset = 3,
  filename_strindex = 4,
  attribute_indices = 5
};
enum class OtlpAttribute : FieldNumber { key_strindex = 1, value = 2, unit_strindex = 3 };

// What ours say beside: of a profile the word for --weight, of a sample what was allocated, locked
// or thrown.
inline constexpr std::string_view kOtlpWeight = "polytrace.weight";
inline constexpr std::string_view kOtlpSubject = "polytrace.subject";
inline constexpr std::string_view kOtlpNotes = "polytrace.notes";

// --- push.v1 ---
enum class PyroscopePush : FieldNumber { series = 1 };
enum class PyroscopeSeries : FieldNumber { labels = 1, samples = 2 };
enum class PyroscopeLabel : FieldNumber { name = 1, value = 2 };
enum class PyroscopeSample : FieldNumber { raw_profile = 1, id = 2 };

// What the two figures of a carrier are called; the first is empty where there is but one.
struct ValueNames {
  std::string_view count;  // its unit is "count"
  std::string_view weight;
  std::string_view unit;
};

constexpr ValueNames value_names(analysis::Carrier carrier) {
  using analysis::Carrier;
  switch (carrier) {
    case Carrier::calls: return {"calls", "time", "nanoseconds"};
    case Carrier::cpu: return {"calls", "cpu", "nanoseconds"};
    case Carrier::samples: return {"", "samples", "count"};
    case Carrier::allocations: return {"alloc_objects", "alloc_space", "bytes"};
    case Carrier::contentions: return {"contentions", "delay", "nanoseconds"};
    case Carrier::exceptions: return {"", "exceptions", "count"};
  }
  return {};
}

}  // namespace polytrace::exports
