// SPDX-License-Identifier: Apache-2.0
#include "cli/record/next_steps.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/frame/command_line.hpp"
#include "service/input/input.hpp"

namespace polytrace::cli {
namespace {

namespace fs = std::filesystem;
using event::Kind;

constexpr std::uintmax_t kMostBytes = 64U << 20;  // read in half a second
constexpr std::size_t kMostSteps = 3;

// What recordings hold, the most telling first.
struct Telling {
  Kind kind;
  std::string_view event;  // of --events
  std::string_view section;
};
constexpr Telling kTellings[] = {{Kind::Alloc, "alloc", "allocations"},
                                 {Kind::Throw, "exceptions", "exceptions"},
                                 {Kind::Monitor, "monitors", "monitors"},
                                 {Kind::Gc, "gc", "collections"}};

class Holds {
 public:
  Holds(const std::optional<service::Overview>& seen, const std::string& events)
      : seen_(seen), events_(events) {}
  bool any(Kind kind, std::string_view event) const {
    if (seen_) return seen_->events[static_cast<std::size_t>(kind)] != 0;
    return !event.empty() && events_.find(event) != events_.npos;
  }

 private:
  const std::optional<service::Overview>& seen_;
  const std::string& events_;
};

}  // namespace

std::optional<service::Overview> look_into(const std::string& file) {
  std::error_code fault;
  if (fs::file_size(file, fault) > kMostBytes || fault) return {};
  const service::Input input({.file = file});
  auto opened = input.open();
  if (!opened) return {};
  service::OverviewConsumer consumer;
  const event::PumpOutcome outcome = event::pump(*opened->reader, consumer, {});
  if (outcome.error) return {};
  return consumer.take();
}

std::vector<std::string> next_steps(const std::string& file,
                                    const std::optional<service::Overview>& seen,
                                    const std::string& events) {
  const Holds holds(seen, events);
  const std::string program = own_command();
  const std::string name = as_operand(file);
  std::vector<std::string> steps = {fmt::format("{} report {}", program, name)};
  if (holds.any(Kind::Enter, "calls") || holds.any(Kind::SummaryBegin, "") ||
      holds.any(Kind::Sample, "samples")) {
    const std::string page = fs::path(file).replace_extension(".html");
    steps.push_back(fmt::format("{} flame {} -o {}", program, name, as_operand(page)));
  }
  if (holds.any(Kind::Dump, "")) steps.push_back(fmt::format("{} heap {}", program, name));
  for (const Telling& topic : kTellings)
    if (steps.size() < kMostSteps && holds.any(topic.kind, topic.event))
      steps.push_back(fmt::format("{} report --sections {} {}", program, topic.section, name));
  return steps;
}

}  // namespace polytrace::cli
