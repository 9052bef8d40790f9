// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/figures.hpp"

#include <fmt/format.h>

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

}  // namespace

std::string_view name_of(Refused why) { return kRefusalTexts[static_cast<std::size_t>(why)].name; }
std::string_view text_of(Refused why) { return kRefusalTexts[static_cast<std::size_t>(why)].text; }

std::string metrics_text(const Figures& figures) {
  std::string out;
#define FIGURE(name, kind, text) add_figure(out, #name, #kind, text, figures.name);
#include "collector/flow/figures.def"
#undef FIGURE
  out +=
      "# HELP polytrace_refused_total agents that were refused\n"
      "# TYPE polytrace_refused_total counter\n";
  for (std::size_t i = 0; i < kRefusals; ++i)
    out += fmt::format("polytrace_refused_total{{why=\"{}\"}} {}\n", kRefusalTexts[i].name,
                       figures.refused_total[i].load());
  return out;
}

}  // namespace polytrace::collector
