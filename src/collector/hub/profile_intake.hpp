// SPDX-License-Identifier: Apache-2.0
// Profiles that other tools send (foreign/profile_request.hpp), as rows in the outbox. Sent again
// they are the same rows, which replace themselves in the store.
#pragma once

#include "collector/config/config.hpp"
#include "collector/hub/block_intake.hpp"

namespace polytrace::collector {

class ProfileIntake {
 public:
  // `config` and the others outlive it; `more`: the outbox has more.
  ProfileIntake(Outbox& outbox, const Config& config, std::uint32_t shards,
                std::function<void()> more, Figures& figures, Tell tell);

  void add_to(Routes& routes);

 private:
  BlockIntake::Brought look_at(Call& call);

  const Config& config_;
  const std::uint32_t shards_;
  Figures& figures_;
  Tell tell_;
  BlockIntake intake_;  // last: its thread uses the rest
};

}  // namespace polytrace::collector
