// SPDX-License-Identifier: Apache-2.0
// The ordinary reader of native streams, handed one whole block after the other. One thread at a
// time; chunks and batches are the thread's, so that a stream that waits has none.
#pragma once

#include <functional>
#include <memory>

#include "base/io/source.hpp"
#include "event/reader.hpp"

namespace polytrace::collector {

// A source that is handed its bytes: where there are none yet, a read gives an error, and is tried
// again later.
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
