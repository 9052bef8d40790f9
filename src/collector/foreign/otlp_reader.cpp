// SPDX-License-Identifier: Apache-2.0
#include "collector/foreign/otlp_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "exports/profiles/fields.hpp"

namespace polytrace::collector {
namespace {

using namespace exports;

constexpr WireForm kRequestForm{"ExportProfilesServiceRequest", "ll"};
constexpr WireForm kResourceProfilesForm{"ResourceProfiles", "lll"};
constexpr WireForm kResourceForm{"Resource", "lvl"};
constexpr WireForm kPairForm{"KeyValue", "ll"};
constexpr WireForm kAnyForm{"AnyValue", "lvv8lll"};
constexpr WireForm kScopeProfilesForm{"ScopeProfiles", "lll"};
constexpr WireForm kScopeForm{"InstrumentationScope", "lllv"};
constexpr WireForm kOtlpProfileForm{"Profile", "ll8vlvlvllr"};
constexpr WireForm kOtlpTypeForm{"ValueType", "vv"};
constexpr WireForm kOtlpSampleForm{"Sample", "vrvrf"};
constexpr WireForm kAttributeForm{"KeyValueAndUnit", "vlv"};

constexpr std::size_t kMostAttributes = 128;  // of a resource

// OpenTelemetry's names of what are our labels.
struct KnownAttribute {
  std::string_view name;
  std::string_view label;
};
constexpr std::array kAttributes{
    KnownAttribute{"service.name", "service"},
    KnownAttribute{"service.version", "version"},
    KnownAttribute{"host.name", "host"},
    KnownAttribute{"process.pid", "instance"},
    KnownAttribute{"service.instance.id", "instance"},  // wins, for it stands behind
    KnownAttribute{"process.runtime.name", "runtime"},
    KnownAttribute{"polytrace.agent", "agent"},
};

LabelList labels_of_attributes(const LabelList& attributes) {
  LabelList labels;
  std::string version;
  for (const KnownAttribute& known : kAttributes)
    for (const auto& [name, value] : attributes)
      if (name == known.name) labels.emplace_back(known.label, value);
  for (const auto& [name, value] : attributes) {
    if (name == "process.runtime.version") version = value;
    else if (std::ranges::find(kAttributes, name, &KnownAttribute::name) == kAttributes.end())
      labels.emplace_back(label_name(name), value);
  }
  for (auto& [name, value] : labels)
    if (name == "runtime" && !version.empty()) value += " " + version;
  return labels;
}

}  // namespace

// The dictionary may stand behind what refers to it.
void OtlpReader::read(std::string_view message) {
  const View bytes(message.data(), message.size());
  Walk<OtlpRequest> tables(&work_, kRequestForm, bytes);
  while (tables.next()) {
    if (tables.field() == OtlpRequest::dictionary) read_dictionary(tables.view());
    else tables.skip();
  }
  refer();
  for (const View attribute : attribute_views_) read_attribute(attribute);
  Walk<OtlpRequest> profiles(nullptr, kRequestForm, bytes);
  while (profiles.next()) {
    if (profiles.field() == OtlpRequest::resource_profiles) read_resource_profiles(profiles.view());
    else profiles.skip();
  }
  if (bare_ != 0 && with_values_ == 0) throw LayoutFault{"no Sample has values or timestamps"};
  if (bare_ != 0) work_.damage(fmt::format("{} samples have neither values nor timestamps", bare_));
  if (links_told_ != 0) work_.leave_out("links of samples to spans", links_told_);
  for (const Attribute& attribute : attributes_)
    if (attribute.left_out != 0)
      work_.leave_out(fmt::format("attribute \"{}\" of samples", attribute.key),
                      attribute.left_out);
}

std::string OtlpReader::any_text(View bytes) {
  std::string out;
  Walk<OtlpAnyValue> walk(&work_, kAnyForm, bytes);
  while (walk.next()) {
    switch (walk.field()) {
      case OtlpAnyValue::string_value: out = walk.text(); break;
      case OtlpAnyValue::bool_value: out = walk.number() != 0 ? "true" : "false"; break;
      case OtlpAnyValue::int_value: out = fmt::to_string(walk.number()); break;
      case OtlpAnyValue::double_value:
        out = fmt::to_string(std::bit_cast<double>(walk.fixed()));
        break;
      default: work_.leave_out("values of attributes that are lists or bytes"); walk.skip();
    }
  }
  return out;
}

void OtlpReader::read_attribute(View bytes) {
  Attribute& attribute = attributes_.emplace_back();
  Walk<OtlpAttribute> walk(&work_, kAttributeForm, bytes);
  while (walk.next()) {
    switch (walk.field()) {
      case OtlpAttribute::key_strindex: attribute.key = text(walk.number()); break;
      case OtlpAttribute::value: attribute.text = any_text(walk.view()); break;
      default: walk.skip();
    }
  }
}

void OtlpReader::read_resource_profiles(View bytes) {
  LabelList told;
  Walk<OtlpResourceProfiles> resources(&work_, kResourceProfilesForm, bytes);
  while (resources.next()) {
    if (resources.field() == OtlpResourceProfiles::resource) read_resource(resources.view(), told);
    else resources.skip();
  }
  const LabelList labels = labels_of_attributes(told);
  Walk<OtlpResourceProfiles> scopes(nullptr, kResourceProfilesForm, bytes);
  while (scopes.next()) {
    if (scopes.field() == OtlpResourceProfiles::scope_profiles)
      read_scope_profiles(scopes.view(), labels);
    else scopes.skip();
  }
}

void OtlpReader::read_resource(View bytes, LabelList& told) {
  Walk<OtlpResource> walk(&work_, kResourceForm, bytes);
  while (walk.next()) {
    if (walk.field() != OtlpResource::attributes) {
      walk.skip();
      continue;
    }
    std::string key, value;
    Walk<OtlpKeyValue> pair(&work_, kPairForm, walk.view());
    while (pair.next()) {
      if (pair.field() == OtlpKeyValue::key) key = pair.text();
      else value = any_text(pair.view());
    }
    if (told.size() < kMostAttributes) told.emplace_back(std::move(key), std::move(value));
    else work_.leave_out("attributes of a resource beyond 128");
  }
}

void OtlpReader::read_scope_profiles(View bytes, const LabelList& told) {
  std::string agent;
  Walk<OtlpScopeProfiles> scopes(&work_, kScopeProfilesForm, bytes);
  while (scopes.next()) {
    if (scopes.field() != OtlpScopeProfiles::scope) {
      scopes.skip();
      continue;
    }
    std::string_view name, version;
    Walk<OtlpScope> scope(&work_, kScopeForm, scopes.view());
    while (scope.next()) {
      if (scope.field() == OtlpScope::name) name = scope.text();
      else if (scope.field() == OtlpScope::version) version = scope.text();
      else scope.skip();
    }
    agent = version.empty() ? std::string(name) : fmt::format("{} {}", name, version);
  }
  LabelList labels = told;
  // Ours tell the agent that recorded, not who sends.
  if (!agent.empty() && !agent.starts_with("polytrace "))
    labels.insert(labels.begin(), {"agent", agent});
  Walk<OtlpScopeProfiles> profiles(nullptr, kScopeProfilesForm, bytes);
  while (profiles.next()) {
    if (profiles.field() == OtlpScopeProfiles::profiles) read_profile(profiles.view(), labels);
    else profiles.skip();
  }
}

auto OtlpReader::head_of(View bytes) -> Profile {
  Profile profile;
  profile.whole = bytes;
  Walk<OtlpProfile> walk(&work_, kOtlpProfileForm, bytes);
  while (walk.next()) {
    switch (walk.field()) {
      case OtlpProfile::sample_type: {
        Walk<OtlpValueType> type(&work_, kOtlpTypeForm, walk.view());
        while (type.next()) {
          const std::string_view word = text(type.number());
          (type.field() == OtlpValueType::type_strindex ? profile.type.type : profile.type.unit) =
              word;
        }
        break;
      }
      case OtlpProfile::time_unix_nano:
        profile.time = static_cast<std::int64_t>(walk.fixed());
        break;
      case OtlpProfile::duration_nano:
        profile.duration = static_cast<std::uint64_t>(walk.number());
        break;
      case OtlpProfile::original_payload:
        work_.leave_out("original payloads of profiles");
        walk.skip();
        break;
      case OtlpProfile::attribute_indices:
        walk.each([&](std::int64_t index) {
          const auto at = static_cast<std::uint64_t>(index);
          if (at < attributes_.size() && attributes_[at].key == kOtlpWeight)
            profile.weight = attributes_[at].text;
          else if (at >= attributes_.size() || attributes_[at].key != kOtlpNotes)
            work_.leave_out("attributes of profiles");
        });
        break;
      default: walk.skip();
    }
  }
  return profile;
}

ForeignFigure OtlpReader::figure_of(const Profile& profile) {
  if (const auto figure = figure_of_weight(profile.weight)) return *figure;
  const auto plan = plan_of({profile.type}, 0);
  if (!plan[0]->is_known) work_.tell_unknown_type(type_text(profile.type) + " counts as samples");
  return *plan[0];
}

void OtlpReader::read_profile(View bytes, const LabelList& told) {
  const Profile profile = head_of(bytes);
  Goal goal{work_.series(told), figure_of(profile)};
  const std::optional<Time> wall =
      profile.time != 0 ? std::optional(profile.time) : work_.options().otherwise;
  goal.is_timeless = !wall;
  if (wall) goal.time = goal.sums.time_of(*wall, false);
  if (goal.time) goal.sums.span(*goal.time, profile.duration);
  Walk<OtlpProfile> walk(nullptr, kOtlpProfileForm, bytes);
  while (walk.next()) {
    if (walk.field() == OtlpProfile::samples) read_sample(walk.view(), goal);
    else walk.skip();
  }
}

void OtlpReader::read_sample(View bytes, const Goal& goal) {
  std::int64_t stack = 0;
  values_.clear();
  times_.clear();
  sample_attributes_.clear();
  Walk<OtlpSample> walk(&work_, kOtlpSampleForm, bytes);
  while (walk.next()) {
    switch (walk.field()) {
      case OtlpSample::stack_index: stack = walk.number(); break;
      case OtlpSample::attribute_indices:
        walk.each([&](std::int64_t index) { sample_attributes_.push_back(index); });
        break;
      case OtlpSample::link_index: links_told_ += walk.number() != 0; break;
      case OtlpSample::values: walk.each([&](std::int64_t one) { values_.push_back(one); }); break;
      case OtlpSample::timestamps_unix_nano:
        walk.each_fixed([&](std::uint64_t time) { times_.push_back(time); });
        break;
    }
  }
  StackSums::Key key{0, goal.figure.carrier, kNone, kNone};
  if (stack != 0) key.stack = checked(stack, stacks_.size(), "stack");
  if (key.stack == FrameTables::kNothing) key.stack = kNone;
  for (const std::int64_t index : sample_attributes_) {
    const auto at = static_cast<std::uint64_t>(index);
    if (at >= attributes_.size()) work_.damage(fmt::format("attribute {} is in no table", index));
    else if (attributes_[at].key != kOtlpSubject) ++attributes_[at].left_out;
    else key.subject = static_cast<std::uint32_t>(at);
  }
  take(goal, key);
}

// As its definition says: one value for all, or one for each timestamp, which is 1 where it has
// none.
void OtlpReader::take(const Goal& goal, StackSums::Key key) {
  if (values_.empty() && times_.empty()) {
    ++bare_;
    return;
  }
  ++with_values_;
  if (key.subject != kNone && key.stack != kNone) {
    const Stack& stack = stacks_[key.stack];
    const std::uint32_t place =
        stack.begin == stack.end ? FrameTables::kNothing : places_[stack.begin];
    if (place != FrameTables::kNothing &&
        tables_.innermost_name(place) == attributes_[key.subject].text)
      key.stack |= kWithoutInnermost;
  }
  const bool by_time = !times_.empty() && (values_.empty() || values_.size() == times_.size());
  if (!by_time && !times_.empty())
    work_.damage(
        fmt::format("a sample has {} values and {} timestamps", values_.size(), times_.size()));
  bool taken = false;
  const auto add = [&](std::optional<std::uint32_t> time, std::int64_t value) {
    if (value < 0) work_.damage("a value below 0 is taken as 0");
    if (!time || value <= 0) return;
    key.time = *time;
    goal.sums.add(key, goal.figure.amount(value));
    taken = true;
  };
  std::uint64_t refused = 0;
  if (by_time) {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const auto wall = static_cast<Time>(std::min<std::uint64_t>(times_[i], INT64_MAX));
      const auto time = goal.sums.time_of(wall, true);
      refused += !time;
      add(time, values_.empty() ? 1 : values_[i]);
    }
  } else {
    for (const std::int64_t value : values_) add(goal.time, value);
    if (!goal.time) ++(goal.is_timeless ? work_.out().timeless : refused);
  }
  work_.out().refused += refused != 0;
  if (taken) goal.sums.count_sample();
}

std::string OtlpReader::subject(std::uint32_t subject) { return attributes_[subject].text; }

bool OtlpReader::frames(std::uint32_t stack, std::size_t most, std::vector<ForeignFrame>& into) {
  const std::size_t skipped = (stack & kWithoutInnermost) != 0 ? 1 : 0;
  const Stack& told = stacks_[stack & ~kWithoutInnermost];
  bool whole = true;
  for (std::size_t i = told.begin; i < told.end && whole; ++i)
    if (places_[i] != FrameTables::kNothing)
      whole = tables_.append_frames(places_[i], most + skipped, into);
  if (skipped != 0 && !into.empty()) into.erase(into.begin());
  return whole;
}

}  // namespace polytrace::collector
