// SPDX-License-Identifier: Apache-2.0
// The ordinary reader of native streams, handed one whole block after the other. One thread at a
// time; chunks and batches are the thread's, so that a stream that waits has none.
#pragma once

#include <functional>
#include <memory>

#include "collector/live/feed.hpp"
#include "event/reader.hpp"

namespace polytrace::collector {

class LiveReader {
 public:
  explicit LiveReader(std::uint64_t stream);

  using Take = std::function<void(const event::Batch&)>;
  // Calls back with what the block holds. REQUIRES: it is whole.
  void read(base::Bytes block, const Take& take);
  std::uint64_t faults() const { return faults_; }  // inside of blocks

 private:
  std::unique_ptr<event::Reader> reader_;
  Feed* feed_ = nullptr;  // of reader_
  std::uint64_t faults_ = 0;
};

}  // namespace polytrace::collector
