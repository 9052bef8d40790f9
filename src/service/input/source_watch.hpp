// SPDX-License-Identifier: Apache-2.0
// Whether the file of an open trace is still what its index was made of. Any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "store/source/source_identity.hpp"

namespace polytrace::service {

class SourceWatch {
 public:
  // `head` is that of the index.
  SourceWatch(std::string file, store::PageHead head);

  // What became of the file ("it has grown"); nothing while it has the same content, and if it is
  // gone: then there is no other content. Reads the file only after its size or times changed.
  std::optional<std::string_view> change();
  // Whether another file has the content of the index.
  bool has_content_of(const std::string& other) const;

 private:
  const std::string file_;
  mutable std::mutex mutex_;  // guards what follows
  store::PageHead head_;
};

}  // namespace polytrace::service
