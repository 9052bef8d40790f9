// SPDX-License-Identifier: Apache-2.0
#include "server/answers/profile/pruned_json.hpp"

#include "service/trace/indexed_trace.hpp"

namespace polytrace::server {
namespace {

template <class Items, class Get>
void write_list(base::JsonWriter& json, std::string_view name, const Items& items, Get get) {
  json.key(name);
  json.begin_array();
  for (std::size_t i = 0; i < items.size(); ++i) get(i);
  json.end_array();
}

}  // namespace

std::string_view unit_word(const analysis::Weight& weight) {
  switch (weight.unit) {
    case analysis::Unit::nanoseconds: return "ns";
    case analysis::Unit::bytes: return "bytes";
    default: return "count";
  }
}

void write_pruned(base::JsonWriter& json, const analysis::Pruned& pruned) {
  const analysis::Profile& profile = pruned.profile;
  const bool is_compared = !profile.befores.empty();
  const auto totals = profile.totals();
  const auto befores = is_compared ? profile.totals(profile.befores) : totals;
  const auto column = [&](std::string_view name, auto get) {
    write_list(json, name, profile.nodes, get);
  };
  json.key("nodes");
  json.begin_object();
  column("parent", [&](std::size_t i) { json.value(profile.nodes[i].parent); });
  column("frame",
         [&](std::size_t i) { i == 0 ? json.null() : json.value(profile.nodes[i].frame); });
  column("self", [&](std::size_t i) { json.value(profile.value(profile.selfs[i])); });
  column("total", [&](std::size_t i) { json.value(profile.value(totals[i])); });
  if (is_compared) {
    column("self_before", [&](std::size_t i) { json.value(profile.value(profile.befores[i])); });
    column("total_before", [&](std::size_t i) { json.value(profile.value(befores[i])); });
  }
  column("count", [&](std::size_t i) { json.value(profile.selfs[i].count); });
  column("hidden",
         [&](std::size_t i) { json.value(i < pruned.hidden.size() ? pruned.hidden[i] : 0U); });
  json.end_object();
  json.member("total", profile.value(totals.front()));
  if (is_compared) json.member("total_before", profile.value(befores.front()));
}

void write_frames(base::JsonWriter& json, const analysis::Profile& profile, const FrameId& id) {
  const auto column = [&](std::string_view name, auto get) {
    write_list(json, name, profile.frames, [&](std::size_t i) { get(profile.frames[i]); });
  };
  json.key("frames");
  json.begin_object();
  column("id", [&](const auto& frame) {
    if (const auto number = id(frame)) json.value(*number);
    else json.null();
  });
  column("name", [&](const auto& frame) { json.value(frame.name); });
  column("package", [&](const auto& frame) { json.value(service::package_of(frame.name)); });
  column("kind", [&](const auto& frame) { json.value(frame.is_helper ? "helper" : "method"); });
  json.end_object();
}

}  // namespace polytrace::server
