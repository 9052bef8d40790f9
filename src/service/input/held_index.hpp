// SPDX-License-Identifier: Apache-2.0
// Indexes that this process holds open, by their folders: a question about one is answered from it,
// without opening and testing it again. Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "format/format.hpp"
#include "store/file/cache_folder.hpp"
#include "store/read/index_frames.hpp"

namespace polytrace::service {

// Held as long as this lives.
class HeldIndex {
 public:
  using Frames = std::shared_ptr<const store::IndexFrames>;
  // `use`: nobody removes it meanwhile; nothing where nobody can.
  HeldIndex(std::string folder, const format::Format& format, Frames frames,
            std::optional<store::FolderLock> use);
  ~HeldIndex();
  HeldIndex(const HeldIndex&) = delete;
  HeldIndex& operator=(const HeldIndex&) = delete;

  const std::string& folder() const { return folder_; }
  const format::Format& format() const { return format_; }
  const Frames& frames() const { return frames_; }

 private:
  std::string folder_;
  const format::Format& format_;
  Frames frames_;
  std::optional<store::FolderLock> use_;
};

// A reader of it; nothing where it is not held.
std::optional<format::Opened> open_held(const std::string& folder);

}  // namespace polytrace::service
