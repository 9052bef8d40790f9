// SPDX-License-Identifier: Apache-2.0
// One stream on its way, as the collector's threads share it: the loop talks to its agent, the
// keeper cuts and keeps its bytes, one worker at a time makes rows of its blocks.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "collector/flow/figures.hpp"
#include "collector/flow/owner.hpp"
#include "collector/flow/workers.hpp"
#include "collector/keep/block_cutter.hpp"
#include "collector/live/stream_work.hpp"

namespace polytrace::collector {

struct Stream {
  Stream(std::uint64_t number, Owner whose) : id(number), owner(std::move(whose)) {}

  const std::uint64_t id;
  const Owner owner;

  // --- any thread ---
  std::atomic<std::uint64_t> connection{0};  // the one whose bytes count; 0: none
  std::atomic<std::uint64_t> fed{0};         // where the bytes that were cut end, in the stream
  std::atomic<std::uint64_t> waiting{0};     // bytes of blocks that no worker is done with
  std::atomic<std::uint64_t> kept{0};        // all before this is on our disk
  std::atomic<base::Time> heard{0};          // wall time of its last bytes
  std::atomic<base::Time> open_since{base::kNoTime};  // where its oldest open window begins
  std::atomic<bool> in_news{false};
  std::atomic<bool> refused{false};
  std::atomic<Refused> why{};
  std::atomic<bool> finished{false};  // every row of it has gone on

  // --- the keeper's ---
  BlockCutter cutter{};

  // --- of the worker that has its lane ---
  Workers::Lane lane;
  std::optional<StreamWork> work{};
  // What the figures have of it.
  std::uint64_t events = 0, events_refused = 0, missing = 0, lost = 0, faults = 0;
};

using StreamPtr = std::shared_ptr<Stream>;

}  // namespace polytrace::collector
