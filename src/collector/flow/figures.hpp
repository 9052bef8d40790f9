// SPDX-License-Identifier: Apache-2.0
// How the collector is doing: figures that whoever does it counts and anybody reads, and a log.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace polytrace::collector {

enum class Refused : std::uint8_t {
#define REFUSAL(name, text) name,
#include "collector/flow/refusals.def"
#undef REFUSAL
};
inline constexpr std::size_t kRefusals = 0
#define REFUSAL(name, text) +1
#include "collector/flow/refusals.def"
#undef REFUSAL
    ;

// "silence", and what it says to people.
std::string_view name_of(Refused why);
std::string_view text_of(Refused why);

struct Figures {
#define FIGURE(name, kind, text) std::atomic<std::uint64_t> name{0};
#include "collector/flow/figures.def"
#undef FIGURE
  std::array<std::atomic<std::uint64_t>, kRefusals> refused_total{};
  // For /readyz and /healthz.
  std::atomic<bool> spool_works{true};
  std::atomic<bool> outbox_has_room{true};

  void refuse(Refused why) { ++refused_total[static_cast<std::size_t>(why)]; }
};

// As Prometheus reads it.
std::string metrics_text(const Figures& figures);

// What it tells of itself, a line each: for a log. Given by any thread, one at a time.
enum class Weight : std::uint8_t { detail, news, warning };

struct LogEntry {
  Weight weight = Weight::news;
  std::string what;   // "connected", "refused", "store": one of few words
  std::string who{};  // the program, "java 4711"; empty: none
  std::uint64_t stream = 0;
  std::string text{};  // in plain words
};

using Tell = std::function<void(const LogEntry&)>;

}  // namespace polytrace::collector
