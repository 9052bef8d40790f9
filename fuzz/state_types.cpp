// SPDX-License-Identifier: Apache-2.0
// Any text: what is read as types.json is written so that it reads the same, without a notice.
#include "history/files/types_file.hpp"
#include "support/require.hpp"

using polytrace::fuzz::require;
namespace history = polytrace::history;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  polytrace::base::Notices notices;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = history::parse_types(text, notices);
  if (!file) return 0;
  polytrace::base::Notices none;
  const auto again = history::parse_types(history::to_json(*file), none);
  require(again.has_value() && none.empty() && *again == *file);
  return 0;
}
