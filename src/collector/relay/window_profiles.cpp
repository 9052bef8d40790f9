// SPDX-License-Identifier: Apache-2.0
#include "collector/relay/window_profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <protozero/pbf_builder.hpp>

#include "base/child_index.hpp"
#include "base/io/sink.hpp"
#include "exports/profiles/fields.hpp"
#include "exports/profiles/otlp_message.hpp"
#include "exports/target.hpp"

namespace polytrace::collector {
namespace {

using analysis::Profile;
using protozero::pbf_builder;
using warehouse::Profile10s;

// As Pyroscope calls kinds of profiles.
std::string_view pyroscope_name(Carrier carrier) {
  switch (carrier) {
    case Carrier::calls: return "wall";
    case Carrier::cpu:
    case Carrier::samples: return "process_cpu";
    case Carrier::allocations: return "memory";
    case Carrier::contentions: return "mutex";
    case Carrier::exceptions: return "exceptions";
  }
  return {};
}

const analysis::Weight& weight_of(Carrier carrier) {
  return *std::ranges::find(analysis::weights(), carrier, &analysis::Weight::carrier);
}

void tell_resource(const warehouse::Labels& labels, exports::OtlpMessage& message) {
  const auto tell = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) message.resource(key, value);
  };
  std::int64_t pid = 0;
  const std::string& instance = labels.instance;
  const auto [end, fault] =
      std::from_chars(instance.data(), instance.data() + instance.size(), pid);
  const bool is_pid = fault == std::errc() && end == instance.data() + instance.size() && pid > 0;
  message.resource("service.name", labels.service);
  tell("service.version", labels.version);
  tell("host.name", labels.host);
  if (is_pid) message.resource("process.pid", pid);
  else tell("service.instance.id", instance);
  tell("process.runtime.name", labels.runtime);
  tell("polytrace.agent", labels.agent);
  for (const auto& [name, value] : labels.free) tell(name, value);
}

// Its names may have no dots.
std::vector<std::pair<std::string, std::string>> push_labels(const warehouse::Labels& labels) {
  auto all = labels.free;
  all.emplace_back("service_name", labels.service.empty() ? "unknown_service" : labels.service);
  all.emplace_back("version", labels.version);
  all.emplace_back("host", labels.host);
  all.emplace_back("instance", labels.instance);
  all.emplace_back("runtime", labels.runtime);
  all.emplace_back("agent", labels.agent);
  std::erase_if(all, [](const auto& label) { return label.second.empty(); });
  for (auto& [name, value] : all) std::ranges::replace(name, '.', '_');
  std::ranges::sort(all);
  return all;
}

void add_label(pbf_builder<exports::PyroscopeSeries>& series, std::string_view name,
               std::string_view value) {
  pbf_builder<exports::PyroscopeLabel> label(series, exports::PyroscopeSeries::labels);
  label.add_string(exports::PyroscopeLabel::name, name.data(), name.size());
  label.add_string(exports::PyroscopeLabel::value, value.data(), value.size());
}

// Rows of one carrier, which stand together.
template <class Function>
void by_carrier(WindowProfiles::Window& window, const Function& function) {
  std::ranges::stable_sort(window, {}, &Profile10s::carrier);
  for (auto begin = window.begin(); begin != window.end();) {
    const auto end = std::find_if(
        begin, window.end(), [&](const Profile10s& row) { return row.carrier != begin->carrier; });
    function(static_cast<Carrier>(begin->carrier), std::span<const Profile10s>(begin, end));
    begin = end;
  }
}

// A tree of frames, while rows become one.
struct FrameNode {
  std::uint32_t parent = 0;
  std::uint32_t method = 0;
};

}  // namespace

void WindowProfiles::begin(std::uint64_t series, const warehouse::Labels& labels) {
  series_ = series;
  labels_ = labels;
  frames_.clear();
  stacks_.clear();
}

auto WindowProfiles::take(Rows&& rows) -> std::map<Key, Window> {
  for (warehouse::Frame& frame : rows.of<warehouse::Frame>())
    frames_.try_emplace(frame.id, Text{std::move(frame.name), std::move(frame.file), frame.line});
  for (warehouse::Stack& stack : rows.of<warehouse::Stack>())
    stacks_.try_emplace(stack.id, std::move(stack.frames));
  std::map<Key, Window> windows;
  for (const Profile10s& row : rows.of<Profile10s>()) windows[{row.t, row.gen}].push_back(row);
  return windows;
}

std::vector<std::uint64_t> WindowProfiles::path_of(const Profile10s& row) const {
  std::vector<std::uint64_t> path;
  if (row.subject != 0) path.push_back(row.subject);
  if (const auto stack = stacks_.find(row.stack); stack != stacks_.end())
    path.insert(path.end(), stack->second.begin(), stack->second.end());
  return path;
}

auto WindowProfiles::text_of(std::uint64_t frame) const -> Text {
  const auto known = frames_.find(frame);
  return known == frames_.end() ? Text{fmt::format("(frame {:#x})", frame), {}, 0} : known->second;
}

base::result<std::string> WindowProfiles::otlp(const Key& key, const Window& window) {
  exports::OtlpMessage message;
  tell_resource(labels_, message);
  std::unordered_map<std::uint64_t, std::uint32_t> frames, subjects;
  std::map<std::pair<warehouse::Id128, std::uint64_t>, std::uint32_t> stacks;
  const auto stack_of = [&](const Profile10s& row) {
    const auto [entry, fresh] = stacks.try_emplace({row.stack, row.subject}, 0);
    if (!fresh) return entry->second;
    std::vector<std::uint32_t> path;
    for (const std::uint64_t id : path_of(row)) {
      const auto [frame, is_new] = frames.try_emplace(id, 0);
      if (is_new) {
        const Text text = text_of(id);
        frame->second = message.frame(text.name, text.file, text.line);
      }
      path.push_back(frame->second);
    }
    return entry->second = message.stack(path);
  };
  const std::string identity = fmt::format("{:016x} {} {}", series_, key.first, key.second);
  Window sorted = window;
  by_carrier(sorted, [&](Carrier carrier, std::span<const Profile10s> rows) {
    for (const bool is_count : {true, false}) {
      if (is_count && exports::value_names(carrier).count.empty()) continue;
      message.begin_profile({.carrier = carrier,
                             .is_count = is_count,
                             .wall = key.first * kSecond,
                             .nanoseconds = static_cast<std::uint64_t>(kWindow),
                             .identity = identity});
      for (const Profile10s& row : rows) {
        const std::uint64_t value = is_count ? row.count : row.weight;
        if (value == 0) continue;
        std::vector<std::uint32_t> told;
        if (row.subject != 0) {
          const auto [subject, fresh] = subjects.try_emplace(row.subject, 0);
          if (fresh)
            subject->second = message.attribute(exports::kOtlpSubject, text_of(row.subject).name);
          told.push_back(subject->second);
        }
        message.sample(stack_of(row), told, value);
      }
      message.end_profile();
    }
  });
  return message.finish();
}

base::result<std::string> WindowProfiles::pprof(const Key& key, std::span<const Profile10s> rows,
                                                Carrier carrier) const {
  base::ChildIndex index;
  std::vector<FrameNode> nodes(1);
  std::unordered_map<std::uint64_t, std::uint32_t> frames;
  analysis::Pruned pruned;
  Profile& profile = pruned.profile;
  profile.weight = &weight_of(carrier);
  profile.selfs.resize(1);
  for (const Profile10s& row : rows) {
    const auto path = path_of(row);
    std::uint32_t node = Profile::kRoot;
    for (auto id = path.rbegin(); id != path.rend(); ++id) {
      const auto [frame, fresh] =
          frames.try_emplace(*id, static_cast<std::uint32_t>(profile.frames.size()));
      if (fresh) {
        Text text = text_of(*id);
        profile.frames.push_back({std::move(text.name), std::move(text.file), text.line});
      }
      node = index.child(nodes, node, frame->second);
      profile.selfs.resize(nodes.size());
    }
    profile.selfs[node].add(row.count, row.weight);
  }
  for (const FrameNode& node : nodes) profile.nodes.push_back({node.parent, node.method});
  profile.threads.push_back({.begin = 1, .end = static_cast<std::uint32_t>(nodes.size())});
  profile.first = key.first * kSecond;
  profile.last = profile.first + kWindow;
  exports::Origin origin;
  origin.trace = labels_.service;
  origin.wall = origin.wall_at = profile.first;
  std::vector<std::byte> bytes;
  auto sink = base::gzip_sink(base::memory_sink(bytes));
  const exports::Account account;
  if (auto done = exports::find_target("pprof")->profile()->write({pruned, origin, account, *sink});
      !done)
    return base::Unexpected(done.error());
  if (auto done = sink->commit(); !done) return base::Unexpected(done.error());
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

base::result<std::string> WindowProfiles::pyroscope(const Key& key, const Window& window) {
  std::string request;
  std::optional<base::Error> error;
  const auto labels = push_labels(labels_);
  Window sorted = window;
  by_carrier(sorted, [&](Carrier carrier, std::span<const Profile10s> rows) {
    const auto profile = pprof(key, rows, carrier);
    if (!profile) error = profile.error();
    if (error) return;
    pbf_builder<exports::PyroscopePush> push(request);
    pbf_builder<exports::PyroscopeSeries> series(push, exports::PyroscopePush::series);
    add_label(series, "__name__", pyroscope_name(carrier));
    for (const auto& [name, value] : labels) add_label(series, name, value);
    pbf_builder<exports::PyroscopeSample> sample(series, exports::PyroscopeSeries::samples);
    sample.add_bytes(exports::PyroscopeSample::raw_profile, *profile);
  });
  if (error) return base::Unexpected(*error);
  return request;
}

}  // namespace polytrace::collector
