// SPDX-License-Identifier: Apache-2.0
// A source that is handed its bytes, for a reader that goes on when there are more: where there are
// none yet, a read gives an error, and is tried again later. One thread at a time.
#pragma once

#include "base/io/source.hpp"

namespace polytrace::collector {

class Feed final : public base::Source {
 public:
  // What is read next, once all before was; valid until then.
  void give(base::Bytes bytes) { bytes_ = bytes; }
  // Nothing comes behind what was given.
  void end() { ended_ = true; }
  // Whether the last read failed because there was nothing yet.
  bool waits() const { return waits_; }

  base::result<std::size_t> read(std::span<std::byte> into) override;

 private:
  base::Bytes bytes_{};
  bool ended_ = false;
  bool waits_ = false;
};

}  // namespace polytrace::collector
