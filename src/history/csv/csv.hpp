// SPDX-License-Identifier: Apache-2.0
// States as rows of text (docs/formats/state-history-interchange.md, "CSV"): what a row holds.
#pragma once

#include <array>
#include <string_view>

#include "history/model/value.hpp"

namespace polytrace::history {

// The header line tells which of them a text is.
enum class CsvForm : std::uint8_t {
  changes,  // time,path,type,value: from this time on
  keys,     // key,start,end,type,value
  paths,    // path,start,end,type,value
};
inline constexpr std::array<std::string_view, 3> kCsvHeaders{
    "time,path,type,value", "key,start,end,type,value", "path,start,end,type,value"};

struct CsvRow {
  std::uint64_t line = 0;   // where it begins, 1-based; the header is line 1
  Key key = kNoKey;         // of the form keys
  std::string_view path{};  // of the others, as Tree::make() takes it; "" is the root
  Tick start = 0;           // of a change, its time
  Tick end = 0;             // of a change, its time, too
  Value value = Value::null();
};

}  // namespace polytrace::history
