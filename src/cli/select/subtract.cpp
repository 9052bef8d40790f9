// SPDX-License-Identifier: Apache-2.0
#include "cli/select/subtract.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "cli/frame/words.hpp"
#include "slice/pauses.hpp"

namespace polytrace::cli {
namespace {

// Pauses must be known before the calls they interrupt.
class PausePass final : public event::Consumer {
 public:
  bool consume(const event::Batch& batch) override {
    event::leap_over_calls(batch.events, [&](const event::Event& event) {
      if (event.kind == event::Kind::Gc)
        finder_.add(batch.thread(event), event.time, batch.details_or<event::Gc>(event, {}).phase);
    });
    return true;
  }
  slice::Pauses take() { return finder_.take(); }

 private:
  slice::PauseFinder finder_;
};

base::result<std::shared_ptr<const slice::Pauses>> find_pauses(const Session& session,
                                                               Input& input) {
  if (auto ready = input.prepare_passes(); !ready) return base::Unexpected(ready.error());
  auto opened = input.open();
  if (!opened) return base::Unexpected(opened.error());
  PausePass finder;
  // The next pass tells of faults.
  static_cast<void>(pass(session, input, *opened->reader, finder));
  return std::make_shared<const slice::Pauses>(finder.take());
}

}  // namespace

void add_subtract_option(OptionList& list, SelectionOptions& options) {
  list.add("--subtract", options.subtract,
           "What does not count as time of calls, separated by commas: gc, waits")
      .takes("WHAT[,WHAT]")
      .suggests({"gc", "waits"})
      .in("Selection");
}

base::result<void> subtract(const Session& session, Input& input, std::string_view words,
                            slice::Selection& selection) {
  bool pauses = false;
  for (const std::string_view word : listed(words)) {
    if (word == "gc") pauses = true;
    else if (word == "waits") selection.subtract_waits = true;
    else
      return base::fail(base::Code::usage,
                        fmt::format("--subtract: \"{}\" is neither gc nor waits", word));
  }
  if (!pauses) return {};
  auto found = find_pauses(session, input);
  if (!found) return base::Unexpected(found.error());
  selection.pauses = std::move(*found);
  return {};
}

}  // namespace polytrace::cli
