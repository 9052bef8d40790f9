// SPDX-License-Identifier: Apache-2.0
// The edges that keep a channel open to this hub, /v1/edge, by the certificate or the token that
// they send rows with, and those that it meets otherwise: of each tenant its own. One thread, the
// loop's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collector/config/config.hpp"
#include "collector/control/edge_post.hpp"
#include "collector/door/door.hpp"

namespace polytrace::collector {

class Edges {
 public:
  static constexpr std::size_t kMostEdges = 10'000;
  static constexpr std::size_t kMostAway = 100;  // of a tenant, that are remembered

  // All outlive it.
  static std::unique_ptr<Edges> make(boost::asio::io_context& context, const Config& config,
                                     Figures& figures, Tell tell);
  // Their channels end.
  virtual ~Edges() = default;
  Edges(const Edges&) = delete;
  Edges& operator=(const Edges&) = delete;

  virtual void add_to(Routes& routes) = 0;
  // One that came another way. Of a tenant that this hub has not, the channel is closed.
  virtual void meet(const std::string& tenant, const std::string& edge,
                    std::shared_ptr<http::Channel> channel) = 0;
  // Those whose rows go to that database.
  virtual std::vector<std::shared_ptr<FarPost>> of(const std::string& database) const = 0;
  // Names of those that were here since this hub began, went within the last day, which is as long
  // as edges keep their streams, and have not come back.
  virtual std::vector<std::string> away(const std::string& database) const = 0;

 protected:
  Edges() = default;
};

}  // namespace polytrace::collector
