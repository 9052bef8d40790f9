// SPDX-License-Identifier: Apache-2.0
#include "history/trace_compass/tc_snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/codes.hpp"
#include "history/files/json_value.hpp"

namespace polytrace::history {
namespace {

using base::Code;

constexpr std::int64_t kVersion = 1;
constexpr Tick kClipped = std::numeric_limits<Tick>::min();

struct JavaClass {
  std::string_view name;
  Type type;
};
// Every other class is a custom value, kept as its bytes.
constexpr std::array kValueClasses{
    JavaClass{"java.lang.Integer", Type::integer}, JavaClass{"java.lang.Long", Type::integer},
    JavaClass{"java.lang.Double", Type::real},     JavaClass{"java.lang.String", Type::string},
    JavaClass{"java.lang.Boolean", Type::boolean}, JavaClass{"null", Type::open},
};

Type type_of_java(std::string_view java) {
  const auto* const known = std::ranges::find(kValueClasses, java, &JavaClass::name);
  return known == kValueClasses.end() ? Type::bytes : known->type;
}

class SnapshotReader {
 public:
  SnapshotReader(TcSnapshot& into, base::Notices& notices) : into_(into), notices_(notices) {}

  base::result<void> add(JsonElement item) {
    frame_ = fmt::format("attributes[{}]", count_++);
    JsonObject object;
    if (item.get(object) != simdjson::SUCCESS) return malformed("is no object", frame_);
    const auto found = members<2>(object, {"Path", "Value"}, frame_);
    if (!found) return base::Unexpected(found.error());
    const auto& [path, value] = *found;
    simdjson::dom::array names;
    JsonObject state;
    if (!path || path->get(names) != simdjson::SUCCESS || !value ||
        value->get(state) != simdjson::SUCCESS)
      return malformed("\"Path\" is no array or \"Value\" no object", frame_);
    return add_state(names, state);
  }

 private:
  base::result<void> add_state(simdjson::dom::array names, JsonObject object) {
    const auto found = members<5>(object, {"start", "end", "quark", "type", "value"}, frame_);
    if (!found) return base::Unexpected(found.error());
    const auto& [start, end, quark, java, value] = *found;
    const auto number = quark ? as_key(*quark) : std::nullopt;
    if (!number || *number + 1 == kNoKey) return malformed("\"quark\" is no number", frame_);
    StateAt state{.key = *number + 1,
                  .start = start ? as_int64(*start) : std::nullopt,
                  .end = end ? as_int64(*end) : std::nullopt};
    if (state.end == kClipped) state.end.reset();
    if (auto placed = place(names, state.key); !placed) return placed;
    const auto told = java ? as_text(*java) : std::nullopt;
    if (!told) return malformed("\"type\" is no class name", frame_);
    keep(state, type_of_java(*told), value);
    return {};
  }

  base::result<void> place(simdjson::dom::array names, Key key) {
    Tree::Node node = Tree::kTop;
    for (const JsonElement element : names) {
      const auto name = as_text(element);
      if (!name || name->empty()) return malformed("\"Path\" holds no name", frame_);
      node = into_.tree.child(node, *name);
    }
    if (node == Tree::kTop || into_.tree.key(node) != kNoKey || !into_.tree.set_key(node, key))
      return malformed("a path or \"quark\" twice", frame_);
    return {};
  }

  void keep(StateAt& state, Type type, const std::optional<JsonElement>& value) {
    into_.types.types.push_back({.key = state.key, .type = type});
    if (type != Type::open) {
      const auto read = read_value(value, std::nullopt, type, into_.states.texts);
      if (!read) {
        notices_.add(read.error().code, {.frame = frame_}, 0, read.error().detail);
        return;
      }
      state.value = *read;
    }
    into_.states.states.push_back(state);
  }

  TcSnapshot& into_;
  base::Notices& notices_;
  std::string frame_{};
  std::size_t count_ = 0;
};

base::result<simdjson::dom::array> read_head(JsonElement root, TcSnapshot& into) {
  JsonObject object;
  if (root.get(object) != simdjson::SUCCESS) return malformed("is no object");
  const auto found = members<5>(
      object, {"snapshot_format_version", "ssid", "fStartTime", "fEndTime", "attributes"}, {});
  if (!found) return base::Unexpected(found.error());
  const auto& [version, name, first, last, attributes] = *found;
  const auto number = version ? as_int64(*version) : std::nullopt;
  if (!number) return malformed("\"snapshot_format_version\" is missing");
  if (*number != kVersion)
    return base::fail(Code::version_unsupported,
                      fmt::format("snapshot version {}; version {} is known", *number, kVersion));
  auto text = text_or_empty(name, "ssid", {});
  if (!text) return base::Unexpected(text.error());
  into.name = std::move(*text);
  into.first = first ? as_int64(*first) : std::nullopt;
  into.last = last ? as_int64(*last) : std::nullopt;
  simdjson::dom::array items;
  if (!attributes || attributes->get(items) != simdjson::SUCCESS)
    return malformed("\"attributes\" is no array");
  return items;
}

}  // namespace

base::result<TcSnapshot> parse_tc_snapshot(std::string_view text, base::Notices& notices) {
  const auto document = JsonDocument::parse(text, notices);
  if (!document) return base::Unexpected(document.error());
  TcSnapshot snapshot;
  const auto items = read_head(document->root(), snapshot);
  if (!items) return base::Unexpected(items.error());
  SnapshotReader reader(snapshot, notices);
  for (const JsonElement item : *items) {
    if (auto added = reader.add(item); !added) return base::Unexpected(added.error());
  }
  std::ranges::sort(snapshot.types.types, {}, &KeyType::key);
  std::ranges::sort(snapshot.states.states, {}, &StateAt::key);
  snapshot.states.timestamp = snapshot.first;
  return snapshot;
}

}  // namespace polytrace::history
