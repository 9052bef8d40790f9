// SPDX-License-Identifier: Apache-2.0
#include "history/files/types_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/json_writer.hpp"
#include "history/files/json_document.hpp"
#include "history/files/json_head.hpp"

namespace polytrace::history {
namespace {

constexpr std::string_view kTypesFormat = "state-types";

base::result<KeyType> read_item(JsonElement item, const std::string& frame) {
  JsonObject object;
  if (item.get(object) != simdjson::SUCCESS) return malformed("is no object", frame);
  const auto found = members<4>(object, {"key", "type", "unit", "description"}, frame);
  if (!found) return base::Unexpected(found.error());
  const auto& [key, type, unit, description] = *found;
  const auto number = key ? as_key(*key) : std::nullopt;
  if (!number) return malformed("\"key\" is no key", frame);
  const auto name = type ? as_text(*type) : std::nullopt;
  if (!name || name->empty()) return malformed("\"type\" is no type", frame);
  KeyType read{.key = *number, .type = find_type(*name).value_or(Type::open)};
  if (read.type == Type::open) read.opaque = *name;
  for (const auto& [member, what, into] :
       {std::tuple{&unit, "unit", &read.unit},
        std::tuple{&description, "description", &read.description}}) {
    auto text = text_or_empty(*member, what, frame);
    if (!text) return base::Unexpected(text.error());
    *into = std::move(*text);
  }
  return read;
}

base::result<void> sort_unique(std::vector<KeyType>& types) {
  std::ranges::sort(types, {}, &KeyType::key);
  const auto twice = std::ranges::adjacent_find(types, {}, &KeyType::key);
  if (twice != types.end()) return malformed(fmt::format("key {} twice", twice->key), "types");
  return {};
}

void write_item(base::JsonWriter& json, const KeyType& item) {
  json.new_line();
  json.begin_object();
  json.member("key", item.key);
  json.member("type", item.opaque.empty() ? name(item.type) : std::string_view(item.opaque));
  if (!item.unit.empty()) json.member("unit", item.unit);
  if (!item.description.empty()) json.member("description", item.description);
  json.end_object();
}

}  // namespace

const KeyType* TypesFile::find(Key key) const {
  const auto found = std::ranges::lower_bound(types, key, {}, &KeyType::key);
  return found == types.end() || found->key != key ? nullptr : &*found;
}

Type TypesFile::type(Key key) const {
  const KeyType* const known = find(key);
  return known == nullptr ? Type::any : known->type;
}

base::result<TypesFile> parse_types(std::string_view text, base::Notices& notices) {
  const auto document = JsonDocument::parse(text, notices);
  if (!document) return base::Unexpected(document.error());
  const auto listed = read_list(document->root(), kTypesFormat, "types");
  if (!listed) return base::Unexpected(listed.error());
  TypesFile file{.history_id = listed->history_id};
  for (const JsonElement item : listed->items) {
    auto read = read_item(item, fmt::format("types[{}]", file.types.size()));
    if (!read) return base::Unexpected(read.error());
    file.types.push_back(std::move(*read));
  }
  if (auto sorted = sort_unique(file.types); !sorted) return base::Unexpected(sorted.error());
  return file;
}

std::string to_json(const TypesFile& file) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Form::one_line);
  json.begin_object();
  write_head(json, kTypesFormat, file.history_id);
  json.new_line();
  json.key("types");
  json.begin_array();
  for (const KeyType& item : file.types) {
    if (item.type != Type::open || !item.opaque.empty()) write_item(json, item);
  }
  json.end_array();
  json.end_object();
  return out += '\n';
}

}  // namespace polytrace::history
