// SPDX-License-Identifier: Apache-2.0
// The head and the columns of a block of calls as they lie in its payload.
#pragma once

#include <array>
#include <cstdint>

#include "base/raw_array.hpp"
#include "base/result.hpp"
#include "base/types.hpp"
#include "store/file/block_layout.hpp"

namespace polytrace::store {

// The columns of a payload, each decoded when it is asked for.
class BlockParts {
 public:
  // The payload must outlive it. Errors: field_past_end, value_unexpected, those of cursors.
  base::result<void> open(base::Bytes payload);
  const BlockHead& head() const { return head_; }
  bool has(BlockColumn column) const { return of(column).stored.data() != nullptr; }
  // Lives until the next one. Empty if there is no such column.
  base::result<base::Bytes> get(BlockColumn column) const {
    thread_local base::RawArray<std::byte> raw;
    return get(column, raw);
  }
  base::result<base::Bytes> get(BlockColumn column, base::RawArray<std::byte>& into) const;

 private:
  struct Part {
    base::Bytes stored{};
    std::uint8_t coding = 0;
    std::uint32_t raw = 0;
  };
  const Part& of(BlockColumn column) const { return parts_[static_cast<std::size_t>(column)]; }

  BlockHead head_;
  std::array<Part, kBlockColumns> parts_{};
};

}  // namespace polytrace::store
