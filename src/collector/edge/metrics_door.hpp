// SPDX-License-Identifier: Apache-2.0
// /metrics, /healthz and /readyz over HTTP on 127.0.0.1, for who watches; and
// /v1/traces/, which the desk answers (piece_desk.hpp) while the loop turns on. One thread, the
// context's: where its loop hangs nobody answers, which is what /healthz is for. At most 16
// connections, a request in 5 s and 8 KiB. Boost's types stay in metrics_door.cpp.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "collector/edge/piece_desk.hpp"
#include "collector/flow/figures.hpp"

namespace boost::asio {
class io_context;
}

namespace polytrace::collector {

class MetricsDoor {
 public:
  // Port 0: any that is free. The desk outlives it. Errors: open_failed.
  static base::result<std::unique_ptr<MetricsDoor>> open(boost::asio::io_context& context,
                                                         std::uint16_t port, const Figures& figures,
                                                         PieceDesk& desk);
  virtual ~MetricsDoor() = default;
  MetricsDoor(const MetricsDoor&) = delete;
  MetricsDoor& operator=(const MetricsDoor&) = delete;

  virtual std::uint16_t port() const = 0;

 protected:
  MetricsDoor() = default;
};

}  // namespace polytrace::collector
