// SPDX-License-Identifier: Apache-2.0
// The table of all records: which first byte means what in which versions (docs/formats/mlpd.md,
// section 4). Reading dispatches through it; names and version checks come from it.
#pragma once

#include <string_view>

#include "format/mlpd/records/first_byte.hpp"
#include "format/mlpd/records/record_reader.hpp"

namespace polytrace::format::mlpd {

struct Record {
  std::uint8_t first;  // its first byte
  std::string_view name;
  std::uint8_t since;  // data versions in which it is legal
  std::uint8_t until;
  std::uint8_t timed_since;  // data version from which it has a time field
  void (RecordReader::*read)(std::uint8_t first);

  bool legal_in(unsigned version) const { return version >= since && version <= until; }
};

// Null when no version knows such a record.
const Record* find_record(std::uint8_t first);

}  // namespace polytrace::format::mlpd
