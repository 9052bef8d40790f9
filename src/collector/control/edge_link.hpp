// SPDX-License-Identifier: Apache-2.0
// An edge's channel to each of its hubs, /v1/edge, with the certificate or the token that it sends
// rows with: kept open, and dialled again after 1 s, doubling to 60 s. What hubs ask over it the
// executor does, or another service of the edge. One thread, the loop's.
#pragma once

#include <memory>

#include "collector/config/config.hpp"
#include "collector/control/edge_post.hpp"
#include "collector/flow/figures.hpp"

namespace polytrace::collector {

class EdgeLinks {
 public:
  // `name`: of this edge, as its rows have it. Errors: open_failed (the token's file).
  static base::result<std::unique_ptr<EdgeLinks>> open(boost::asio::io_context& context,
                                                       const Config& config, std::string name,
                                                       Executor& executor, EdgeService& other,
                                                       Tell tell);
  virtual ~EdgeLinks() = default;
  EdgeLinks(const EdgeLinks&) = delete;
  EdgeLinks& operator=(const EdgeLinks&) = delete;

 protected:
  EdgeLinks() = default;
};

inline constexpr std::string_view kEdgePath = "/v1/edge";

}  // namespace polytrace::collector
