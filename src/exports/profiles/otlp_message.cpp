// SPDX-License-Identifier: Apache-2.0
#include "exports/profiles/otlp_message.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <limits>
#include <protozero/pbf_builder.hpp>

#include "base/codes.hpp"
#include "exports/profiles/fields.hpp"

namespace polytrace::exports {
namespace {

using protozero::pbf_builder;

constexpr std::string_view kNothing = "";

template <class Field>
void add_any(pbf_builder<Field>& to, Field field, const OtlpMessage::Value& value) {
  pbf_builder<OtlpAnyValue> any(to, field);
  if (const auto* text = std::get_if<std::string_view>(&value))
    any.add_string(OtlpAnyValue::string_value, text->data(), text->size());
  else any.add_int64(OtlpAnyValue::int_value, std::get<std::int64_t>(value));
}

// The word for --weight.
std::string_view weight_key(analysis::Carrier carrier, bool is_count) {
  for (const analysis::Weight& weight : analysis::weights())
    if (weight.carrier == carrier &&
        (weight.is_count == is_count || analysis::companion(weight) == nullptr))
      return weight.key;
  return {};
}

std::string profile_id(const OtlpMessage::Head& head) {
  const std::string whole = fmt::format(
      "{}\n{}\n{}", head.identity, static_cast<unsigned>(head.carrier), unsigned{head.is_count});
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, XXH3_128bits(whole.data(), whole.size()));
  return {reinterpret_cast<const char*>(bytes.digest), sizeof bytes.digest};
}

}  // namespace

OtlpMessage::OtlpMessage() {
  pbf_builder<OtlpDictionary> tables(dictionary_);
  for (const auto table : {OtlpDictionary::mapping_table, OtlpDictionary::location_table,
                           OtlpDictionary::function_table, OtlpDictionary::link_table,
                           OtlpDictionary::attribute_table, OtlpDictionary::stack_table})
    tables.add_message(table, kNothing.data(), 0);
  text(kNothing);
}

std::uint32_t OtlpMessage::text(std::string_view one) {
  const auto [entry, fresh] =
      numbers_.try_emplace(std::string(one), static_cast<std::uint32_t>(numbers_.size()));
  if (fresh)
    pbf_builder<OtlpDictionary>(strings_).add_string(OtlpDictionary::string_table, one.data(),
                                                     one.size());
  return entry->second;
}

void OtlpMessage::resource(std::string_view key, Value value) {
  pbf_builder<OtlpResource> resource(resource_);
  pbf_builder<OtlpKeyValue> pair(resource, OtlpResource::attributes);
  pair.add_string(OtlpKeyValue::key, key.data(), key.size());
  add_any(pair, OtlpKeyValue::value, value);
}

std::uint32_t OtlpMessage::frame(std::string_view name, std::string_view file, std::uint32_t line) {
  const std::uint32_t name_text = text(name), file_text = text(file);
  pbf_builder<OtlpDictionary> tables(dictionary_);
  {
    pbf_builder<OtlpFunction> function(tables, OtlpDictionary::function_table);
    function.add_int32(OtlpFunction::name_strindex, static_cast<std::int32_t>(name_text));
    if (file_text != 0)
      function.add_int32(OtlpFunction::filename_strindex, static_cast<std::int32_t>(file_text));
    if (line != 0) function.add_int64(OtlpFunction::start_line, line);
  }
  pbf_builder<OtlpLocation> location(tables, OtlpDictionary::location_table);
  pbf_builder<OtlpLine> one(location, OtlpLocation::lines);
  one.add_int32(OtlpLine::function_index, static_cast<std::int32_t>(frames_));
  if (line != 0) one.add_int64(OtlpLine::line, line);
  return frames_++;
}

std::uint32_t OtlpMessage::stack(std::span<const std::uint32_t> frames) {
  if (frames.empty()) return 0;
  pbf_builder<OtlpDictionary> tables(dictionary_);
  pbf_builder<OtlpStack> stack(tables, OtlpDictionary::stack_table);
  stack.add_packed_int32(OtlpStack::location_indices, frames.begin(), frames.end());
  return stacks_++;
}

std::uint32_t OtlpMessage::attribute(std::string_view key, Value value) {
  const std::uint32_t key_text = text(key);
  pbf_builder<OtlpDictionary> tables(dictionary_);
  pbf_builder<OtlpAttribute> attribute(tables, OtlpDictionary::attribute_table);
  attribute.add_int32(OtlpAttribute::key_strindex, static_cast<std::int32_t>(key_text));
  add_any(attribute, OtlpAttribute::value, value);
  return known_attributes_++;
}

void OtlpMessage::begin_profile(const Head& head) {
  const ValueNames names = value_names(head.carrier);
  profile_.clear();
  attributes_.clear();
  if (const auto key = weight_key(head.carrier, head.is_count); !key.empty())
    profile_attribute(attribute(kOtlpWeight, key));
  pbf_builder<OtlpProfile> profile(profile_);
  const std::uint32_t type =
      text(head.is_count && !names.count.empty() ? names.count : names.weight);
  const std::uint32_t unit = text(head.is_count ? "count" : names.unit);
  {
    pbf_builder<OtlpValueType> what(profile, OtlpProfile::sample_type);
    what.add_int32(OtlpValueType::type_strindex, static_cast<std::int32_t>(type));
    what.add_int32(OtlpValueType::unit_strindex, static_cast<std::int32_t>(unit));
  }
  if (head.wall > 0)
    profile.add_fixed64(OtlpProfile::time_unix_nano, static_cast<std::uint64_t>(head.wall));
  if (head.nanoseconds != 0) profile.add_uint64(OtlpProfile::duration_nano, head.nanoseconds);
  if (!head.identity.empty()) profile.add_bytes(OtlpProfile::profile_id, profile_id(head));
}

void OtlpMessage::sample(std::uint32_t stack, std::span<const std::uint32_t> attributes,
                         std::uint64_t value) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  pbf_builder<OtlpProfile> profile(profile_);
  pbf_builder<OtlpSample> sample(profile, OtlpProfile::samples);
  sample.add_int32(OtlpSample::stack_index, static_cast<std::int32_t>(stack));
  if (!attributes.empty())
    sample.add_packed_int32(OtlpSample::attribute_indices, attributes.begin(), attributes.end());
  const auto told = static_cast<std::int64_t>(std::min(value, kMost));
  sample.add_packed_int64(OtlpSample::values, &told, &told + 1);
}

void OtlpMessage::end_profile() {
  if (profile_.size() > kMostBytes) return;  // finish() refuses all of it
  pbf_builder<OtlpProfile>(profile_).add_packed_int32(OtlpProfile::attribute_indices,
                                                      attributes_.begin(), attributes_.end());
  pbf_builder<OtlpScopeProfiles>(profiles_).add_message(OtlpScopeProfiles::profiles, profile_);
}

base::result<std::string> OtlpMessage::finish() {
  if (profile_.size() + profiles_.size() + dictionary_.size() + strings_.size() > kMostBytes)
    return base::fail(base::Code::limit_exceeded,
                      "more than 2 GiB in one message: --limit or --depth makes it smaller");
  std::string scoped;
  {
    pbf_builder<OtlpScopeProfiles> in(scoped);
    pbf_builder<OtlpScope> scope(in, OtlpScopeProfiles::scope);
    scope.add_string(OtlpScope::name, "polytrace");
    scope.add_string(OtlpScope::version, POLYTRACE_VERSION);
  }
  scoped += profiles_;
  std::string of_resource, message;
  pbf_builder<OtlpResourceProfiles> of(of_resource);
  of.add_message(OtlpResourceProfiles::resource, resource_);
  of.add_message(OtlpResourceProfiles::scope_profiles, scoped);
  dictionary_ += strings_;
  pbf_builder<OtlpRequest> request(message);
  request.add_message(OtlpRequest::resource_profiles, of_resource);
  request.add_message(OtlpRequest::dictionary, dictionary_);
  return message;
}

}  // namespace polytrace::exports
