// SPDX-License-Identifier: Apache-2.0
// Asks for streams of which this folder knows nothing and the store may: on a thread of its own,
// while their agents wait for credit. What is found is kept as if it had been here; else the stream
// begins anew, which is told and counted where nobody answered. Who gave no answer is not asked
// again for a while: agents do not wait one after the other.
#pragma once

#include <functional>
#include <memory>

#include "collector/flow/pipeline.hpp"
#include "collector/target/positions.hpp"

namespace boost::asio {
class io_context;
}

namespace polytrace::collector {

class PositionAsker {
 public:
  // `context` calls those who asked. `positions`: null: nobody answers. All outlive it.
  static std::unique_ptr<PositionAsker> make(boost::asio::io_context& context,
                                             std::unique_ptr<Positions> positions,
                                             Pipeline& pipeline, Figures& figures, Tell tell);
  PositionAsker(const PositionAsker&) = delete;
  PositionAsker& operator=(const PositionAsker&) = delete;
  // Waits for the answer that is awaited, some seconds at most; calls nobody any more.
  virtual ~PositionAsker() = default;

  // The context's thread. Calls `hear` there once, later.
  virtual void ask(std::uint64_t stream, const Owner& owner, std::function<void()> hear) = 0;

 protected:
  PositionAsker() = default;
};

// Whom the configuration lets us ask; null: nobody, as of an edge that has a bus. Errors: those of
// hub_positions().
base::result<std::unique_ptr<Positions>> positions_to_ask(const Config& config);

}  // namespace polytrace::collector
