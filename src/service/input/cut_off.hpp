// SPDX-License-Identifier: Apache-2.0
// Whether a recording ended before it was to, as its trace says.
#pragma once

#include <string>

#include "base/notices.hpp"
#include "event/pump.hpp"
#include "service/input/overview.hpp"

namespace polytrace::service {

struct CutOff {
  std::string why{};              // "": it did not
  base::Time at = base::kNoTime;  // when it ended, as far as told
  bool by_limit = false;          // one that the user had set

  bool is_cut() const { return !why.empty(); }
};

CutOff cut_off_of(const Overview& overview);
// A stream without its end: `before` where nothing else is known.
CutOff or_without_end(CutOff before, const std::vector<base::Notice>& notices);

// Passes a trace on and looks for it.
class CutOffWatch final : public event::Consumer {
 public:
  explicit CutOffWatch(event::Consumer& to) : to_(to) {}

  bool consume(const event::Batch& batch) override;
  const CutOff& found() const { return found_; }

 private:
  event::Consumer& to_;
  CutOff found_;
};

}  // namespace polytrace::service
