// SPDX-License-Identifier: Apache-2.0
// What a profile is made from: one source for each carrier of weights.
#pragma once

#include "analysis/profile/tree.hpp"

namespace polytrace::analysis {

class ProfileSource {
 public:
  ProfileSource() = default;
  ProfileSource(const ProfileSource&) = delete;
  ProfileSource& operator=(const ProfileSource&) = delete;
  virtual ~ProfileSource() = default;

  virtual void consume(const Slice&) {}
  // After the last slice, once. A thread's number is its index in Names::threads(), or what
  // unknown_thread() explains; merged, all are number 0.
  virtual void fill(ProfileTree& tree, const Names& names) = 0;
  // What is said of amounts without any frame.
  virtual std::string_view frameless() const { return "(no stack recorded)"; }
  // The id of a thread that has no stream in the trace.
  virtual base::Id unknown_thread(std::uint32_t number) const {
    static_cast<void>(number);
    return base::kNoId;
  }
  virtual std::vector<std::string> notes() const { return {}; }
  virtual std::vector<std::string> limits() const = 0;
};

// Of calls and CPU time, `options` has the tree; whoever feeds it has finished it before fill().
std::unique_ptr<ProfileSource> make_profile_source(Carrier carrier, const Selection& selection,
                                                   const ProfileOptions& options);

}  // namespace polytrace::analysis
