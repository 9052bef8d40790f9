// SPDX-License-Identifier: Apache-2.0
// How the collector is doing: figures that whoever does it counts and anybody reads, and a log.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "warehouse/outcomes.hpp"
#include "warehouse/shards.hpp"

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

// What became of a question to the store, and how /metrics calls it.
enum class QuestionEnd : std::uint8_t { answered, wrong, busy, late, failed };
inline constexpr std::array<std::string_view, 5> kQuestionEnds = {"answered", "wrong", "busy",
                                                                  "late", "failed"};

struct Figures {
#define FIGURE(name, kind, text) std::atomic<std::uint64_t> name{0};
#include "collector/flow/figures.def"
#undef FIGURE
  std::array<std::atomic<std::uint64_t>, kRefusals> refused_total{};
  // Rows of `commands`, by outcome.
  std::array<std::atomic<std::uint64_t>, warehouse::kCommandOutcomes.size()> commands_total{};
  std::array<std::atomic<std::uint64_t>, kQuestionEnds.size()> questions_total{};
  // By shard of the store, of which there are so many. 1: the last try went well.
  std::array<std::atomic<std::uint64_t>, warehouse::kMostShards> store_up{};
  std::atomic<std::uint64_t> shards{1};
  // Of a hub that takes rows from a bus: 1: it is connected.
  static constexpr std::uint64_t kNoBus = ~std::uint64_t{0};
  std::atomic<std::uint64_t> bus_up{kNoBus};
  // Of a hub that rolls its store up: when all of it was last, in seconds since 1970; from its
  // start on until it is.
  static constexpr std::uint64_t kNoRoll = ~std::uint64_t{0};
  std::atomic<std::uint64_t> rolled_at{kNoRoll};
  // For /readyz and /healthz.
  std::atomic<bool> spool_works{true};
  std::atomic<bool> outbox_has_room{true};

  void count(QuestionEnd end) { ++questions_total[static_cast<std::size_t>(end)]; }
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
