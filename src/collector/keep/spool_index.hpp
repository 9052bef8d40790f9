// SPDX-License-Identifier: Apache-2.0
// What is in the files of a spool, and how far each stream is. One thread at a time.
#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/seeded_hash.hpp"
#include "collector/keep/append_file.hpp"
#include "collector/keep/spool.hpp"

namespace polytrace::collector {

inline constexpr NumberedFiles kSpoolFiles{"spool-", ".blocks"};

// The index that a block's header tells, kHeader of a stream's own header; nothing where it is
// damaged. Its payload is not looked at.
std::optional<std::uint64_t> index_of(base::Bytes block);
// Whether its payload is right, too. REQUIRES: index_of() told one.
bool is_whole(base::Bytes block);

class SpoolIndex {
 public:
  struct File {
    std::filesystem::path path;
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
    base::IdMap<std::uint64_t> last{};  // by stream: the last index in it
  };

  // From the oldest to the newest.
  const std::deque<File>& files() const { return files_; }
  void add_file(std::filesystem::path path, std::uint64_t number);
  // What the newest file has now. REQUIRES: it is_new().
  void add(std::uint64_t stream, const BlockCutter::Block& block, std::uint64_t file_bytes);
  // Whether the stream has no block of that index yet, nor a later one.
  bool is_new(std::uint64_t stream, std::uint64_t index) const;
  // What was added is on the medium.
  void settle();
  // What was added since settle() is gone, and all that is known of the newest file: it is to be
  // added again.
  void forget_newest();
  // How many blocks it had.
  std::uint64_t drop_oldest();

  std::optional<Spool::Held> held(std::uint64_t stream) const;
  std::vector<std::uint64_t> streams() const;
  std::uint64_t bytes() const;

 private:
  struct Stream {
    Spool::Held appended{};
    std::optional<Spool::Held> held{};
    std::uint32_t files = 0;  // that have something of it
  };

  void leave(const File& file);

  std::deque<File> files_;
  base::IdMap<Stream> streams_;
  base::IdSet added_;  // streams, since settle()
};

}  // namespace polytrace::collector
