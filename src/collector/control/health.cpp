// SPDX-License-Identifier: Apache-2.0
#include "collector/control/health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace polytrace::collector {
namespace {

constexpr std::size_t kBefore = 6;
constexpr double kWorse = 1.2;
constexpr double kWindowNs = 10e9;
constexpr base::Time kOneSecond = 1'000'000'000;

struct Mean {
  double windows = 0, lost = 0, all = 0, pauses = 0, cpu = 0;

  void add(const Pulse::Beat& beat) {
    ++windows;
    lost += static_cast<double>(beat.lost);
    all += static_cast<double>(beat.lost) + static_cast<double>(beat.events);
    pauses += static_cast<double>(beat.pause_ns);
    cpu += static_cast<double>(beat.cpu_ns);
  }
};

struct HealthFigure {
  std::string_view name;
  double (*share)(const Mean& mean);
  double always;  // a rise of less is none
  bool needs_before;
};
constexpr std::array kHealthFigures = {
    HealthFigure{"lost events", [](const Mean& m) { return m.all == 0 ? 0 : m.lost / m.all; },
                 0.001, false},
    HealthFigure{"pauses", [](const Mean& m) { return m.pauses / m.windows / kWindowNs; }, 0.01,
                 true},
    HealthFigure{"processor time", [](const Mean& m) { return m.cpu / m.windows / kWindowNs; },
                 0.05, true}};

}  // namespace

Judgement judge(std::span<const Pulse::Beat> before, base::Time last,
                std::span<const Pulse::Beat> after) {
  Mean was, is;
  for (const Pulse::Beat& beat : before.last(std::min(before.size(), kBefore))) was.add(beat);
  for (const Pulse::Beat& beat : after)
    if (static_cast<base::Time>(beat.t) * kOneSecond > last) is.add(beat);
  if (is.windows == 0) return {Judgement::Finding::silent, "no window has come since"};
  for (const HealthFigure& figure : kHealthFigures) {
    if (was.windows == 0 && figure.needs_before) continue;
    const double old = was.windows == 0 ? 0 : figure.share(was);
    const double now = figure.share(is);
    if (now > old * kWorse && now - old > figure.always)
      return {Judgement::Finding::worse, fmt::format("{}: {:.1f} % before, {:.1f} % after",
                                                     figure.name, 100 * old, 100 * now)};
  }
  return {Judgement::Finding::well, fmt::format("{:g} windows since, none worse", is.windows)};
}

}  // namespace polytrace::collector
