// SPDX-License-Identifier: Apache-2.0
// A methodEntry or methodExit without texts, ready to be written: nine messages in ten, for which
// there is a direct way into bytes.
#pragma once

#include "format/tptp/messages/message.hpp"

namespace polytrace::format::tptp {

struct CallRecord {
  bool entry = true;
  std::int32_t ticket = 0;
  std::int64_t thread = 0;
  std::int64_t time = 0;
  std::int64_t cpu = 0;
  std::int64_t method = 0;
  std::int64_t object = 0;
  std::int64_t class_id = 0;
  std::int64_t depth = 0;  // of an entry
};

// The same as a message.
void to_message(const CallRecord& call, Message& message);

}  // namespace polytrace::format::tptp
