// SPDX-License-Identifier: Apache-2.0
// The events of a block as their source told them, one after the other. One thread at a time.
#pragma once

#include "store/read/block_view.hpp"

namespace polytrace::store {

// An event of a source.
struct CallEvent {
  enum class What : std::uint8_t { enter, leave, unwind };

  base::Time time;       // as the source told it
  std::uint32_t method;  // index; kNoMethod: not told
  std::uint32_t path;    // of the call that begins or ends; kNoPath: none does
  SliceId call;          // that begins; kNoSlice: none does
  What what;
  bool has_details;  // a row of its kind has more of it
};

// A block's events one after the other. The block and the paths must outlive it.
class BlockEvents {
 public:
  BlockEvents(const CallBlock& block, std::uint64_t number, const Paths& paths);
  // False: there are no more.
  bool next(CallEvent& into);

 private:
  bool next_beside(CallEvent& into);
  void next_of_log(CallEvent& into);
  void tell_special(std::uint32_t event, CallEvent& into);
  void find_special();

  const CallBlock& block_;
  const Paths& paths_;
  std::uint64_t number_;
  std::uint32_t event_ = 0;
  std::uint32_t special_ = 0;  // the next event that is not plain
  std::uint32_t call_ = 0;
  std::uint32_t local_;
  base::Time time_;
  std::size_t beside_ = 0, late_ = 0, unwind_ = 0;
};

}  // namespace polytrace::store
