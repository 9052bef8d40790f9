// SPDX-License-Identifier: Apache-2.0
// The blocks of all streams as they came, in files that are only appended to: a ring of a bounded
// size whose oldest file goes first. What is told as held is on the medium.
//
// A file holds records: a head (append_file.hpp), then the block. One thread appends and syncs;
// replay() and the figures are any thread's.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "collector/keep/block_cutter.hpp"

namespace polytrace::collector {

struct SpoolOptions {
  std::filesystem::path folder;
  std::uint64_t bytes = std::uint64_t{4} << 30;     // of all files
  std::uint64_t min_free = std::uint64_t{2} << 30;  // that is left to others on that medium
  std::uint64_t file_bytes = std::uint64_t{64} << 20;
  std::chrono::seconds age{std::chrono::hours{24}};
};

class Spool {
 public:
  // Finds what the folder holds; what a crash tore off at the end is cut off. Errors: open_failed,
  // read_failed, write_failed.
  static base::result<Spool> open(SpoolOptions options);
  Spool(Spool&&) noexcept;
  Spool& operator=(Spool&&) noexcept;
  ~Spool();

  // False: a block of that index, or a later one, is there already. The file system's errors
  // (write_failed: no space) leave what was appended before as it was; the same block may be
  // appended again once there is room, no later one of that stream before.
  base::result<bool> append(std::uint64_t stream, const BlockCutter::Block& block);
  // Brings what was appended to the medium; then drops what is too much or too old. After an error
  // what was appended since the last sync is no longer there: streams begin again where they are
  // held.
  base::result<void> sync();

  struct Held {
    std::uint64_t next_block = 0;
    std::uint64_t next_offset = 0;
  };
  // How far the stream is on the medium; nothing: no block of it is there.
  std::optional<Held> held(std::uint64_t stream) const;
  std::vector<std::uint64_t> streams() const;  // of which it holds anything, in order

  // Calls back for each whole block that is held, streams mixed, those of one in order; headers
  // are left out. `first`: of a stream, the index to begin at; nothing: none of its blocks. What
  // cannot be read is passed over and counted. Stops with an error of `take`.
  using First = std::function<std::optional<std::uint64_t>(std::uint64_t stream)>;
  using Take =
      std::function<base::result<void>(std::uint64_t stream, const BlockCutter::Block& block)>;
  base::result<void> replay(const First& first, const Take& take) const;
  // Of one stream.
  base::result<void> replay(std::uint64_t stream, std::uint64_t first,
                            const BlockCutter::Take& take) const;

  // Makes hard links, in another folder of that disk, of the files that have any of the blocks
  // `first` to `last` of the stream: what is in them stays when the ring drops them. The newest one
  // may grow yet. The numbers of the files, also of those that were linked before. Errors:
  // write_failed.
  base::result<std::vector<std::uint64_t>> pin(std::uint64_t stream, std::uint64_t first,
                                               std::uint64_t last,
                                               const std::filesystem::path& folder) const;

  // --- figures, since open() where they count ---
  std::uint64_t bytes() const;             // of its files
  std::uint64_t dropped_blocks() const;    // with the oldest files
  std::uint64_t duplicate_blocks() const;  // that append() did not take
  std::uint64_t damaged_bytes() const;     // that could not be read
  std::chrono::seconds oldest() const;     // since the oldest file was last written

 private:
  struct State;
  explicit Spool(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace polytrace::collector
