// SPDX-License-Identifier: Apache-2.0
#include "format/native/read/records.hpp"

#include <fmt/format.h>

#include "format/native/wire/numbers.hpp"

namespace polytrace::format::native {

std::string record_name(std::uint8_t number) {
  switch (static_cast<Tallied>(number)) {
#define RECORD(number, identifier, name) \
  case Tallied::identifier: return name;
#include "format/native/read/records.def"
#undef RECORD
  }
  const std::uint8_t kind = kKindOfNumber[static_cast<std::uint8_t>(number - kFirstBody)];
  if (number > kFirstBody && kind != kNoKind)
    return std::string(event::describe(static_cast<event::Kind>(kind)).name);
  return fmt::format("record {}", number);
}

}  // namespace polytrace::format::native
