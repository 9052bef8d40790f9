// SPDX-License-Identifier: Apache-2.0
// The way of a trace into its target: event by event, or record by record where both formats are of
// one family.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "service/convert/conversion_target.hpp"
#include "service/input/pass.hpp"

namespace polytrace::service {

// One pass: go(), then finish() or nothing. Nothing appears before finish().
class Route {
 public:
  virtual ~Route() = default;
  virtual Passed go(const Input& input) = 0;
  virtual void leave_open() = 0;  // see event::Writer
  virtual base::result<void> finish() = 0;

  virtual std::string_view unit() const = 0;  // what is counted: "events"
  virtual std::uint64_t read() const = 0;     // how many there were
  virtual std::uint64_t given() const = 0;    // how many of them the target was given
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

// What a command does to the events between input and target. Without any of it a trace may go
// record by record.
struct Change {
  // Reads something else than the input alone.
  std::function<Asked<format::Opened>()> open{};
  std::vector<std::string> files{};  // that this reads: none of them may be the output
  // What stands before the target's writer.
  std::function<std::unique_ptr<event::Writer>(std::unique_ptr<event::Writer>)> before{};

  bool is_none() const { return !open && !before; }
};

// Recognises the input, chooses the target and opens both.
Asked<Planned> plan_route(const Input& input, const TargetOptions& options, const Change& change);

}  // namespace polytrace::service
