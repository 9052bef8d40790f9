// SPDX-License-Identifier: Apache-2.0
// The second look at the blocks of a trace, when its pauses are known: what of each path's time
// lies in them, as frames of sums. Only blocks that a pause meets are read again.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "slice/selection.hpp"
#include "store/build/pass/jobs.hpp"
#include "store/file/commits.hpp"

namespace polytrace::store {

class PauseLook {
 public:
  // `view` has all blocks; `paths`: how many there are. It must outlive the jobs that run() adds.
  PauseLook(std::unique_ptr<const IndexView> view, slice::Pauses pauses, std::uint32_t paths,
            std::size_t most_sums);

  void run(Jobs& jobs);
  // When the jobs are done. Errors: those of frames.
  base::result<void> outcome() const;

 private:
  struct Group;
  class Summing;

  bool meets(const Entry& block) const;
  void look_at(std::uint32_t thread, Jobs& jobs);
  void read(std::size_t entry, Group& group);

  std::unique_ptr<const IndexView> view_;
  slice::Pauses pauses_;
  std::uint32_t paths_;
  std::size_t most_sums_;
  std::vector<std::vector<std::size_t>> blocks_;  // entries, by thread
  std::atomic<bool> failed_ = false;
  std::optional<base::Error> error_{};  // set by whoever sets failed_
};

}  // namespace polytrace::store
