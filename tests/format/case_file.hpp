// SPDX-License-Identifier: Apache-2.0
// A case file is one test and one lesson about a format:
//
//   The title
//   # comments explain
//   options
//     resync                      read with ReadOptions::resync
//     write 17                    the events below, written in that version, give these bytes
//     orders little big           two cases: the bytes begin in one byte order or the other, $order
//                                 is 1 or 0, and events are written in that order
//   events                        what is written, when that is not what is read again
//     <canonical text>
//   bytes
//     ...                         the language of assembler.hpp
//   expect                        or "expect events": without what the file header tells
//     <canonical text>            every event, in order
//     notice <code> at <offset> bytes <n> [times <n>]
//     error <code> at <offset>    opening fails
//     lost <kind> <n>             writing loses so many events of that kind
//     lost <kind>.<field> <n>     or so many fields
#pragma once

#include <bit>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace polytrace::format::test {

struct ExpectedNotice {
  std::string code;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t times = 1;
  bool operator==(const ExpectedNotice&) const = default;
};

struct ExpectedError {
  std::string code;
  std::uint64_t offset = 0;
  bool operator==(const ExpectedError&) const = default;
};

struct Case {
  std::string title;
  std::vector<std::byte> bytes;
  bool resync = false;
  std::string write_version;
  std::optional<std::endian> byte_order;
  std::vector<std::string> written;  // none: the same events that are read
  std::map<std::string, std::uint64_t> lost;
  bool with_header = true;
  std::vector<std::string> events;
  std::vector<ExpectedNotice> notices;
  std::optional<ExpectedError> error;
};

struct CaseFile {
  std::filesystem::path path;
  std::optional<std::endian> order{};  // which of the cases in it, where there are two

  std::string name() const;  // without folder and suffix: "order-big"
};

// The error, usage, says what is wrong with the case file.
base::result<Case> load_case(const CaseFile& file);

// The cases of all *.case files below tests/cases/<format>, sorted.
std::vector<CaseFile> case_files(std::string_view format);

}  // namespace polytrace::format::test
