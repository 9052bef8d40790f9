// SPDX-License-Identifier: Apache-2.0
// Where batches of an outbox go: into a shard of a store, or to a hub that keeps them for it. Sends
// once; when to try again is the caller's. One thread at a time.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collector/config/config.hpp"
#include "collector/keep/outbox.hpp"
#include "collector/target/open_store.hpp"

namespace polytrace::collector {

class Target {
 public:
  virtual ~Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // How many bytes of rows of several batches it takes as one; 0: each goes alone.
  virtual std::size_t bytes_at_once() const { return 0; }
  // Batches that are alike, one where it takes each alone, and all or none of them. `edge`: whose
  // outbox it is; `before`: how often they may be there already. Errors say where, and what was
  // answered.
  virtual base::result<void> send(std::span<const Outbox::Batch> batches, const std::string& edge,
                                  unsigned before) = 0;
  // Of the last that failed: whether the same may go better later, and not before when.
  virtual bool may_try_again() const = 0;
  virtual std::chrono::milliseconds asked_to_wait() const { return {}; }
  virtual std::string name() const = 0;  // as people know it

 protected:
  Target() = default;
};

// Of each shard those that bring it rows at the same time.
using Targets = std::vector<std::vector<std::unique_ptr<Target>>>;

// A server takes rows of one insert on one core: of each shard of the store two. Rows of tenants go
// to databases of theirs, which are looked at instead of the store's own where there are any. A
// server that is away is waited for. Errors: those of open_store.
base::result<Targets> store_targets(const Config& config, const TellAway& away);
// POST /v1/rows/<table> of a hub, over one connection that is kept: the bytes as they lie in the
// outbox; a hub has `within` for its answer. After two tries that failed the next hub's turn comes.
// Errors: library_missing, open_failed (the file of the token).
base::result<std::unique_ptr<Target>> hub_target(std::vector<std::string> hubs,
                                                 const Credentials& shown,
                                                 std::chrono::seconds within);

// What a request with a batch tells besides its bytes.
inline constexpr std::string_view kEdgeField = "Polytrace-Edge";
inline constexpr std::string_view kBatchField = "Polytrace-Batch";
inline constexpr std::string_view kBeforeField = "Polytrace-Before";

}  // namespace polytrace::collector
