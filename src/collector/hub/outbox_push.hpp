// SPDX-License-Identifier: Apache-2.0
// Rows of pushed files on their way into an outbox. When take() or finish() returns without an
// error, what was to go is on the medium. One thread at a time.
#pragma once

#include "collector/keep/outbox.hpp"
#include "collector/push/push_target.hpp"

namespace polytrace::collector {

struct OutboxPushOptions {
  std::string database{};  // of a tenant; empty: the store's own
  std::uint32_t shards = 1;
  std::function<void()> more{};  // the outbox has more
};
// The outbox outlives it. Errors of the target: limit_exceeded (it is full), write_failed.
std::unique_ptr<PushTarget> push_to_outbox(Outbox& outbox, OutboxPushOptions options);

}  // namespace polytrace::collector
