// SPDX-License-Identifier: Apache-2.0
#include "history/files/state_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/json_writer.hpp"
#include "history/files/json_head.hpp"
#include "history/files/json_value.hpp"

namespace polytrace::history {
namespace {

constexpr std::string_view kStateFormat = "state-snapshot";

base::result<void> read_head(JsonObject object, StateFile& file) {
  const auto found = members<3>(object, {"timestamp", "ticks_per_second", "clock_offset"},
                                std::string(kStateFormat));
  if (!found) return base::Unexpected(found.error());
  const auto& [timestamp, ticks, offset] = *found;
  file.timestamp = timestamp ? as_int64(*timestamp) : std::nullopt;
  if (!file.timestamp) return malformed("\"timestamp\" is no integer");
  const auto rate = ticks ? as_int64(*ticks) : 1'000'000'000;
  if (!rate || *rate < 1) return malformed("\"ticks_per_second\" is no positive integer");
  file.ticks_per_second = static_cast<std::uint64_t>(*rate);
  file.clock_offset = offset ? as_int64(*offset) : std::nullopt;
  if (offset && !file.clock_offset) return malformed("\"clock_offset\" is no integer");
  return {};
}

class StateReader {
 public:
  StateReader(StateFile& file, const TypesFile& types, base::Notices& notices)
      : file_(file), types_(types), notices_(notices) {}

  base::result<void> add(JsonElement item) {
    const std::string frame = fmt::format("states[{}]", count_++);
    JsonObject object;
    if (item.get(object) != simdjson::SUCCESS) return malformed("is no object", frame);
    const auto found = members<5>(object, {"key", "value", "type", "start", "end"}, frame);
    if (!found) return base::Unexpected(found.error());
    const auto& [key, value, type, start, end] = *found;
    StateAt state{.start = start ? as_int64(*start) : std::nullopt,
                  .end = end ? as_int64(*end) : std::nullopt};
    const auto number = key ? as_key(*key) : std::nullopt;
    if (!number) return malformed("\"key\" is no key", frame);
    if ((start && !state.start) || (end && !state.end) ||
        (state.start && state.end && *state.start > *state.end))
      return malformed("\"start\" or \"end\" is no time", frame);
    state.key = *number;
    auto read = read_value(value, type, types_.type(state.key), file_.texts);
    if (!read) {
      notices_.add(read.error().code, {.frame = frame}, 0,
                   fmt::format("key {}: {}", state.key, read.error().detail));
      return {};
    }
    state.value = *read;
    file_.states.push_back(state);
    return {};
  }

 private:
  StateFile& file_;
  const TypesFile& types_;
  base::Notices& notices_;
  std::size_t count_ = 0;
};

base::result<void> sort_unique(std::vector<StateAt>& states) {
  std::ranges::sort(states, {}, &StateAt::key);
  const auto twice = std::ranges::adjacent_find(states, {}, &StateAt::key);
  if (twice != states.end()) return malformed(fmt::format("key {} twice", twice->key), "states");
  return {};
}

void write_integer(base::JsonWriter& json, std::string_view name, std::int64_t number) {
  json.key(name);
  json.number(fmt::to_string(number));
}

void write_state(base::JsonWriter& json, const StateAt& state, Type type) {
  json.new_line();
  json.begin_object();
  json.member("key", state.key);
  write_value(json, state.value, type);
  if (state.start) write_integer(json, "start", *state.start);
  if (state.end) write_integer(json, "end", *state.end);
  json.end_object();
}

}  // namespace

base::result<StateFile> parse_state(std::string_view text, const TypesFile& types,
                                    base::Notices& notices) {
  const auto document = JsonDocument::parse(text, notices);
  if (!document) return base::Unexpected(document.error());
  const auto listed = read_list(document->root(), kStateFormat, "states");
  if (!listed) return base::Unexpected(listed.error());
  StateFile file;
  file.history_id = listed->history_id;
  if (listed->head) {
    if (auto read = read_head(*listed->head, file); !read) return base::Unexpected(read.error());
  }
  StateReader reader(file, types, notices);
  for (const JsonElement item : listed->items) {
    if (auto added = reader.add(item); !added) return base::Unexpected(added.error());
  }
  if (auto sorted = sort_unique(file.states); !sorted) return base::Unexpected(sorted.error());
  return file;
}

std::string to_json(const StateFile& file, const TypesFile& types) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Form::one_line);
  json.begin_object();
  write_head(json, kStateFormat, file.history_id);
  json.new_line();
  write_integer(json, "timestamp", file.timestamp.value_or(0));
  json.key("ticks_per_second");
  json.number(fmt::to_string(file.ticks_per_second));
  if (file.clock_offset) write_integer(json, "clock_offset", *file.clock_offset);
  json.new_line();
  json.key("states");
  json.begin_array();
  for (const StateAt& state : file.states) write_state(json, state, types.type(state.key));
  json.end_array();
  json.end_object();
  return out += '\n';
}

}  // namespace polytrace::history
