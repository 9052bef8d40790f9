// SPDX-License-Identifier: Apache-2.0
// What a server has to give, as its answers see it. Any thread.
#pragma once

#include <optional>
#include <string>

#include "fleet/moments/kept.hpp"
#include "server/answer_cache.hpp"
#include "server/traces.hpp"

namespace polytrace::server {

// A store of many processes, the collector that keeps their events, and where these are kept for
// longer.
struct FleetOffer {
  warehouse::LinkOptions store{};
  std::optional<fleet::Edge> edge{};
  std::optional<warehouse::ObjectsOptions> objects{};

  bool has_events() const { return edge || objects; }
};

struct Options {
  std::vector<std::string> files{};
  std::uint16_t port = 0;     // 0: any that is free
  std::string root{};         // the page may list and open traces below it; empty: it may not
  std::string page_folder{};  // the page's files are read from it; empty: those built in
  service::IndexOptions index{};
  std::optional<FleetOffer> fleet{};
};

struct Offers {
  explicit Offers(Options told) : options(std::move(told)), traces(options.index) {}

  Options options;
  Traces traces;
  AnswerCache cache{};
};

}  // namespace polytrace::server
