// SPDX-License-Identifier: Apache-2.0
// Any text: what is read as tree.json is written so that it reads the same, without a notice.
#include "history/files/tree_file.hpp"
#include "support/require.hpp"

using polytrace::fuzz::require;
namespace history = polytrace::history;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  polytrace::base::Notices notices;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = history::parse_tree(text, notices);
  if (!file) return 0;
  const auto json = history::to_json(file->tree, file->history_id);
  require(json.has_value());
  polytrace::base::Notices none;
  const auto again = history::parse_tree(*json, none);
  require(again.has_value() && none.empty() && again->tree.size() == file->tree.size());
  require(history::to_json(again->tree, again->history_id) == *json);
  return 0;
}
