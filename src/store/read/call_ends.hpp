// SPDX-License-Identifier: Apache-2.0
// When calls ended that their block left open: by thread, read when somebody asks and kept while
// there is room. Any thread; the list of frames is made before.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "store/file/commits.hpp"
#include "store/read/block_view.hpp"

namespace polytrace::store {

class CallEnds {
 public:
  using Ends = std::shared_ptr<const std::vector<CallEnd>>;
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

  // An entry of the directory that tells ends.
  void add(std::uint32_t thread, std::size_t entry);
  // In order of the calls. Errors: those of frames and of read_ends().
  base::result<Ends> of(std::uint32_t thread, const IndexView& view) const;

 private:
  struct Thread {
    std::uint32_t thread;
    std::size_t entry;
  };
  struct Known {
    std::uint32_t thread;
    Ends ends;
  };
  void keep(std::uint32_t thread, const Ends& ends) const;

  std::vector<Thread> frames_;        // in order of writing
  mutable std::mutex mutex_;          // guards what follows
  mutable std::vector<Known> known_;  // the last read last
};

}  // namespace polytrace::store
