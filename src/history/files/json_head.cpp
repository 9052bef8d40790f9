// SPDX-License-Identifier: Apache-2.0
#include "history/files/json_head.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "history/files/json_file.hpp"

namespace polytrace::history {

base::result<std::string> check_head(JsonObject object, std::string_view format) {
  const auto head =
      members<4>(object, {"format", "version", "minor", "history_id"}, std::string(format));
  if (!head) return base::Unexpected(head.error());
  const auto& [name, version, minor, history_id] = *head;
  if (name && as_text(*name) != format)
    return malformed(fmt::format("\"format\" is not \"{}\"", format));
  const auto number = version ? as_int64(*version) : kJsonVersion;
  if (!number || *number < 1) return malformed("\"version\" is no positive integer");
  if (*number > kJsonVersion)
    return base::fail(
        base::Code::version_unsupported,
        fmt::format("{} version {}; version {} is known", format, *number, kJsonVersion));
  if (minor && !as_int64(*minor)) return malformed("\"minor\" is no integer");
  return text_or_empty(history_id, "history_id", std::string(format));
}

base::result<JsonList> read_list(JsonElement root, std::string_view format, std::string_view list) {
  JsonList read;
  simdjson::dom::array items;
  if (root.get(items) != simdjson::SUCCESS) {
    JsonObject object;
    if (root.get(object) != simdjson::SUCCESS) return malformed("is neither object nor array");
    const auto found = members<2>(object, {list, "key"}, std::string(format));
    if (!found) return base::Unexpected(found.error());
    const auto& [inner, key] = *found;
    if (!inner && key) {
      read.items.push_back(root);
      return read;
    }
    auto history_id = check_head(object, format);
    if (!history_id) return base::Unexpected(history_id.error());
    if (!inner || inner->get(items) != simdjson::SUCCESS)
      return malformed(fmt::format("\"{}\" is no array", list));
    read.history_id = std::move(*history_id);
    read.head = object;
  }
  for (const JsonElement item : items) read.items.push_back(item);
  return read;
}

void write_head(base::JsonWriter& json, std::string_view format, std::string_view history_id) {
  json.member("format", format);
  json.member("version", kJsonVersion);
  json.member("minor", kJsonMinor);
  if (!history_id.empty()) json.member("history_id", history_id);
}

}  // namespace polytrace::history
