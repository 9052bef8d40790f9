// SPDX-License-Identifier: Apache-2.0
// Numbers of classes and methods, ours and for good: by loader, names and descriptor, so that a
// class that is transformed again keeps them. A number is defined in the stream before it is given.
// Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/common/record/recorder.hpp"

namespace polytrace::agent::jvm {

class Registry {
 public:
  static Registry& the();

  // Forgets what was defined and numbers anew: a new recording.
  void clear();

  // Number of a class, 0 when there are too many. `name` has dots. Classes of unknown loaders
  // (kAnyLoader) are the first of that name.
  static constexpr std::uint64_t kAnyLoader = ~std::uint64_t{0};
  std::uint32_t class_of(std::uint64_t loader, std::string_view name);
  bool is_defined(std::uint32_t class_id) const;
  // Once per class; later calls do nothing.
  void define_class(std::uint32_t class_id, const event::Class& details);
  // Whether the running code of a class holds probes.
  bool is_rewritten(std::uint32_t class_id) const;
  void set_rewritten(std::uint32_t class_id, bool rewritten);
  // For a class that may have never been seen; 0: it has not.
  std::uint32_t known_class(std::uint64_t loader, std::string_view name) const;

  // Number of a method, defined with `details` when it is new or its lines are others than before;
  // 0 when there are too many.
  std::uint32_t method_of(const event::Method& details);

  // The first of so many numbers of sites that allocate; 0 when there are too many. They are
  // defined by the caller.
  std::uint32_t next_sites(std::uint32_t count);

  std::uint64_t classes() const;
  std::uint64_t methods() const;

 private:
  struct ClassState {
    bool defined = false;
    bool rewritten = false;
  };
  struct Lines {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };

  std::uint32_t add_class(std::uint64_t key);

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint32_t> class_ids_;   // by loader and name
  std::unordered_map<std::uint64_t, std::uint32_t> name_ids_;    // the first of a name
  std::unordered_map<std::uint64_t, std::uint32_t> unclaimed_;   // of unknown loaders so far
  std::unordered_map<std::uint64_t, std::uint32_t> method_ids_;  // by class, name and descriptor
  std::vector<ClassState> classes_{1};
  std::vector<Lines> methods_{1};
  std::uint32_t sites_ = 0;
};

}  // namespace polytrace::agent::jvm
