// SPDX-License-Identifier: Apache-2.0
// The first members of types.json, tree.json and state.json, and the forms without them. Inside the
// room only, as json_document.hpp is.
#pragma once

#include <vector>

#include "base/text/json_writer.hpp"
#include "history/files/json_document.hpp"

namespace polytrace::history {

// Checks "format", "version" and "minor" of a file's outermost object and gives its "history_id",
// "" when it has none. Where "format" or "version" are missing, they are taken as right.
base::result<std::string> check_head(JsonObject object, std::string_view format);

// A file that is a list: the object with the head and a member `list`, the array alone, or one
// object of it alone.
struct JsonList {
  std::string history_id{};
  std::optional<JsonObject> head{};  // nothing for the bare forms
  std::vector<JsonElement> items{};
};
base::result<JsonList> read_list(JsonElement root, std::string_view format, std::string_view list);

// The members that check_head reads. REQUIRES: directly inside the outermost object.
void write_head(base::JsonWriter& json, std::string_view format, std::string_view history_id);

}  // namespace polytrace::history
