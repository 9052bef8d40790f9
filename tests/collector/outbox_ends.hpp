// SPDX-License-Identifier: Apache-2.0
// What waits in an outbox, batch by batch.
#pragma once

#include <optional>
#include <vector>

#include "collector/keep/outbox.hpp"

namespace polytrace::test {

inline std::optional<collector::Outbox::Batch> oldest(const collector::Outbox& outbox,
                                                      collector::OfShard of = {}) {
  auto found = outbox.next_alike(of, 0).value();
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

// All, which wait on.
inline std::vector<collector::Outbox::Batch> all_waiting(collector::Outbox& outbox) {
  std::vector<collector::Outbox::Batch> all;
  while (auto batch = oldest(outbox)) {
    outbox.set_aside(batch->number);
    all.push_back(std::move(*batch));
  }
  outbox.take_up({});
  return all;
}

}  // namespace polytrace::test
