// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/wall_clock.hpp"

namespace polytrace::collector {
namespace {

struct RefusalText {
  std::string_view name;
  std::string_view text;
};
constexpr std::array<RefusalText, kRefusals> kRefusalTexts = {{
#define REFUSAL(name, text) {#name, text},
#include "collector/flow/refusals.def"
#undef REFUSAL
}};

void add_figure(std::string& out, std::string_view name, std::string_view kind,
                std::string_view text, std::uint64_t value) {
  out += fmt::format("# HELP polytrace_{0} {1}\n# TYPE polytrace_{0} {2}\npolytrace_{0} {3}\n",
                     name, text, kind, value);
}

// Counters that differ in one label; `value_of` gives that of each.
void add_family(std::string& out, std::string_view name, std::string_view text,
                std::string_view label, std::string_view (*value_of)(std::size_t),
                std::span<const std::atomic<std::uint64_t>> counts) {
  out += fmt::format("# HELP polytrace_{0} {1}\n# TYPE polytrace_{0} counter\n", name, text);
  for (std::size_t i = 0; i < counts.size(); ++i)
    out +=
        fmt::format("polytrace_{}{{{}=\"{}\"}} {}\n", name, label, value_of(i), counts[i].load());
}

}  // namespace

std::string_view name_of(Refused why) { return kRefusalTexts[static_cast<std::size_t>(why)].name; }
std::string_view text_of(Refused why) { return kRefusalTexts[static_cast<std::size_t>(why)].text; }

std::string metrics_text(const Figures& figures) {
  std::string out;
#define FIGURE(name, kind, text) add_figure(out, #name, #kind, text, figures.name);
#include "collector/flow/figures.def"
#undef FIGURE
  add_family(
      out, "refused_total", "agents and requests that were refused", "why",
      [](std::size_t i) { return kRefusalTexts[i].name; }, figures.refused_total);
  if (figures.bus_up != Figures::kNoBus)
    add_figure(out, "bus_up", "gauge", "1: the bus gives rows", figures.bus_up);
  if (const std::uint64_t at = figures.rolled_at; at != Figures::kNoRoll) {
    const auto now = static_cast<std::uint64_t>(base::wall_seconds());
    add_figure(out, "roll_age_seconds", "gauge",
               "time since all of the store was rolled up, or since the start",
               now - std::min(now, at));
  }
  add_family(
      out, "commands_total", "commands to programs, as the store has them", "outcome",
      [](std::size_t i) { return warehouse::kCommandOutcomes[i]; }, figures.commands_total);
  add_family(
      out, "questions_total", "questions to the store, by what became of them", "result",
      [](std::size_t i) { return kQuestionEnds[i]; }, figures.questions_total);
  out +=
      "# HELP polytrace_store_up 1: the last try went well\n"
      "# TYPE polytrace_store_up gauge\n";
  for (std::size_t shard = 0; shard < figures.shards; ++shard)
    out += fmt::format("polytrace_store_up{{shard=\"{}\"}} {}\n", shard,
                       figures.store_up[shard].load());
  return out;
}

}  // namespace polytrace::collector
