// SPDX-License-Identifier: Apache-2.0
// What an index keeps of how its source was read: the notices with all their places, and the tally;
// as JSON.
#pragma once

#include <optional>
#include <string>

#include "base/notices.hpp"
#include "base/types.hpp"
#include "event/pump.hpp"

namespace polytrace::store {

struct Notes {
  base::Notices notices;
  event::Tally tally;
  std::optional<base::Error> error;  // of the source: what was read before it is in the index
};

std::string encode_notes(const event::PumpOutcome& outcome);
// Errors: json_malformed. A notice of a code that is not known is one of `value_unknown`.
base::result<Notes> decode_notes(base::Bytes json);

}  // namespace polytrace::store
