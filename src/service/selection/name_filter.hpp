// SPDX-License-Identifier: Apache-2.0
// Which events are about something of a chosen name. Definitions may come later than the
// events, so the whole trace is read for its names first.
#pragma once

#include <string>
#include <unordered_set>

#include "base/seeded_hash.hpp"
#include "event/choice/name_choice.hpp"
#include "event/pump.hpp"

namespace polytrace::service {

// As a consumer it learns the names; then it can be asked. Asking is thread-safe.
class NameFilter final : public event::Consumer {
 public:
  explicit NameFilter(event::NameChoice choice) : choice_(std::move(choice)) {}

  bool consume(const event::Batch& batch) override;
  // True when the event's subject, its class, a frame of its stack or one of its texts fits.
  bool fits(const event::Batch& batch, const event::Event& event) const;

 private:
  using Ids = std::unordered_set<base::Id, base::SeededHash>;
  bool has_text(std::string_view name) const { return choice_.has(name); }
  void learn(const event::Batch& batch, const event::Event& event);
  bool subject_fits(const event::Event& event) const;

  event::NameChoice choice_;
  Ids methods_, classes_, threads_;
};

}  // namespace polytrace::service
