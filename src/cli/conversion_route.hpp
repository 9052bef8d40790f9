// SPDX-License-Identifier: Apache-2.0
// The way of a trace into its target: event by event, or record by record where both formats are of
// one family.
#pragma once

#include <memory>
#include <optional>

#include "cli/conversion_target.hpp"
#include "cli/input.hpp"

namespace polytrace::cli {

// One pass: go(), then finish() or nothing. Nothing appears before finish().
class Route {
 public:
  virtual ~Route() = default;
  virtual Passed go(const Session& session, const Input& input) = 0;
  virtual base::result<void> finish() = 0;

  virtual std::string_view unit() const = 0;  // what is counted: "events"
  virtual std::uint64_t read() const = 0;     // how many there were
  virtual event::Loss loss() const = 0;
  virtual std::string input_version() const = 0;
  // Why the target could not be written.
  virtual const std::optional<base::Error>& failure() const = 0;
};

struct Planned {
  const format::Format* input;
  Target target;
  std::unique_ptr<Route> route;
};
struct PlanError {
  base::Error error;
  std::string file;  // that it is about
};

// Recognises the input, chooses the target and opens both.
tl::expected<Planned, PlanError> plan_route(const Input& input, const TargetOptions& options);

}  // namespace polytrace::cli
