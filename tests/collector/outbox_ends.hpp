// SPDX-License-Identifier: Apache-2.0
// What waits in an outbox, batch by batch.
#pragma once

#include <optional>
#include <vector>

#include "collector/keep/outbox.hpp"

namespace polytrace::test {

// What would be taken.
inline std::vector<collector::Outbox::Batch> look_alike(collector::Outbox& outbox,
                                                        collector::OfShard of, std::size_t most) {
  auto found = outbox.take_alike(of, most).value();
  for (const collector::Outbox::Batch& batch : found) outbox.give_back(batch.number);
  return found;
}

inline std::optional<collector::Outbox::Batch> oldest(collector::Outbox& outbox,
                                                      collector::OfShard of = {}) {
  auto found = look_alike(outbox, of, 0);
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
