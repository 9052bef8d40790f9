// SPDX-License-Identifier: Apache-2.0
// What is found in a history file before anybody asks a question: by its index, or without one by
// going through the frames (docs/formats/state-history.md, "Recovery").
#pragma once

#include <memory>

#include "base/frames/image.hpp"
#include "base/notices.hpp"
#include "base/result.hpp"
#include "history/layout/container.hpp"
#include "history/layout/key_list.hpp"
#include "history/model/options.hpp"
#include "history/read/strings.hpp"

namespace polytrace::history {

// The views in it point into its image.
struct Opened {
  base::Image image{};
  FileHeader header{};
  std::vector<SegmentPlace> segments{};
  std::vector<std::uint64_t> key_frames{};
  std::vector<std::uint64_t> string_frames{};
  std::vector<std::uint64_t> record_frames{};
  std::vector<base::RawArray<std::byte>> rooms{};  // inflated KEYS frames
  KeyList keys{};
  Strings strings{};
  base::Notices notices{};
  bool has_index = false;    // segments have exit tables
  bool is_complete = false;  // closed, and nothing of it is lost
  std::uint64_t intervals = 0;
  std::uint64_t good_end = 0;  // without an index: behind the last frame worth keeping
  Tick end = 0;
  std::uint64_t stream_bytes = 0;  // when it was made out of a stream: that one's size
};

base::result<std::unique_ptr<Opened>> open_image(base::Image image, const OpenOptions& options);

}  // namespace polytrace::history
