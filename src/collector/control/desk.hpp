// SPDX-License-Identifier: Apache-2.0
// Where programs are commanded: POST /v1/agents/<verb>, for who has the role `control`, and for a
// heap dump `dump` besides. Each order is a row of `commands` before anything of it is done, each
// program's outcome one more, and both are on the disk before they are told; also of orders that
// are refused.
//
// Answers: 200 with JSON (polytrace.fleet-control/1); 403 nobody may, 404 nobody is meant, 409 all
// are busy or in no state for it, with the same JSON where programs were asked; 400, 429, 503 in a
// line. One thread, the loop's, but where it says otherwise.
#pragma once

#include <memory>

#include "collector/config/config.hpp"
#include "collector/control/edges.hpp"
#include "collector/control/ledger.hpp"
#include "collector/door/door.hpp"

namespace polytrace::collector {

class ControlDesk {
 public:
  static constexpr std::size_t kMostOrders = 8;          // under way
  static constexpr std::uint64_t kMostOrder = 64 << 10;  // bytes of one

  // `own`: of this process's programs; null: it has none. All outlive it.
  static std::unique_ptr<ControlDesk> make(boost::asio::io_context& context, const Config& config,
                                           Executor* own, Edges& edges, Ledger& ledger,
                                           Figures& figures, Tell tell);
  virtual ~ControlDesk() = default;
  ControlDesk(const ControlDesk&) = delete;
  ControlDesk& operator=(const ControlDesk&) = delete;

  virtual void add_to(Routes& routes) = 0;

 protected:
  ControlDesk() = default;
};

}  // namespace polytrace::collector
