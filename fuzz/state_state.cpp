// SPDX-License-Identifier: Apache-2.0
// Any text: what is read as state.json is written so that it reads the same, without a notice. The
// first eight keys have a type each.
#include "history/files/state_file.hpp"
#include "support/require.hpp"

using polytrace::fuzz::require;
namespace history = polytrace::history;
using history::Type;

namespace {

history::TypesFile some_types() {
  history::TypesFile types;
  for (const Type type : {Type::none, Type::boolean, Type::integer, Type::real, Type::string,
                          Type::bytes, Type::any, Type::open})
    types.types.push_back({.key = static_cast<history::Key>(types.types.size()), .type = type});
  return types;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const history::TypesFile types = some_types();
  polytrace::base::Notices notices;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = history::parse_state(text, types, notices);
  if (!file) return 0;
  const std::string json = history::to_json(*file, types);
  polytrace::base::Notices none;
  const auto again = history::parse_state(json, types, none);
  require(again.has_value() && none.empty() && again->states.size() == file->states.size());
  for (std::size_t i = 0; i < file->states.size(); ++i)
    require(again->states[i].value == file->states[i].value);
  require(history::to_json(*again, types) == json);
  return 0;
}
