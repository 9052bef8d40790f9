// SPDX-License-Identifier: Apache-2.0
// Queries over a history that is being built: the flushed segments, then the open one. Who asks
// keeps builders out (a shared lock); several may ask at once.
#pragma once

#include <memory>
#include <mutex>

#include "history/model/visitor.hpp"
#include "history/write/build_core.hpp"

namespace polytrace::history {

class LiveView {
 public:
  // `core` must outlive this.
  explicit LiveView(const BuildCore& core);
  ~LiveView();

  base::result<void> range(std::uint32_t index, Tick from, Tick to, Visitor visit) const;
  base::result<void> full(Tick t, Visitor visit) const;

 private:
  struct Flushed;
  struct Part {
    State state;
    Tick end;
    bool ongoing;
  };
  using Parts = std::vector<Part>;

  base::result<const Flushed*> refresh() const;
  // The states of a timeline that meet low .. high, in order of time.
  base::result<void> gather(const Flushed& flushed, std::uint32_t index, Tick low, Tick high,
                            Parts& parts) const;
  void gather_open(std::uint32_t index, Tick low, Tick high, Parts& parts) const;
  base::result<bool> tell(const Flushed& flushed, std::uint32_t index, const Part& part,
                          Visitor visit) const;
  Tick latest() const;

  const BuildCore& core_;
  mutable std::mutex refreshing_;
  mutable std::unique_ptr<Flushed> flushed_;
};

}  // namespace polytrace::history
