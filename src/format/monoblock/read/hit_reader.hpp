// SPDX-License-Identifier: Apache-2.0
// Decodes the items of one STATISTICAL block (docs/formats/monoblock.md, section 4.7).
#pragma once

#include "event/batch.hpp"
#include "format/monoblock/layout/account.hpp"
#include "format/monoblock/layout/hits.hpp"
#include "format/monoblock/layout/state.hpp"

namespace polytrace::format::monoblock {

class HitReader {
 public:
  HitReader(const FileHead& file, const State& state, event::Batch& batch, base::Cursor& in,
            Account& account, event::Time now)
      : file_(file), state_(state), batch_(batch), in_(in), account_(account), now_(now) {}

  // Up to the end of the items or a fault of the cursor.
  void read_all();

 private:
  struct Frame {
    base::Id id;  // a method, a function or an address
    bool native;
  };

  void read_item();
  void take_hit(const HitItem& item);
  void take_chain(std::uint64_t callers);
  void take_regions();
  Frame frame_of(const HitItem& item);
  base::Id address_of(const HitItem& item);
  // Tells the hit that was read, with its callers.
  void tell_sample();
  event::Natives keep_natives(std::size_t count);
  event::Stack keep_stack(std::size_t begin);
  std::uint16_t none() { return batch_.thread_slot(base::kNoId); }

  const FileHead& file_;
  State state_;
  event::Batch& batch_;
  base::Cursor& in_;
  Account& account_;
  event::Time now_;
  std::vector<Frame> frames_;  // of the hit, innermost first
  std::uint64_t callers_left_ = 0;
  bool ended_ = false;
};

}  // namespace polytrace::format::monoblock
