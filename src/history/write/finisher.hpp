// SPDX-License-Identifier: Apache-2.0
// The end of a history file: exit tables by a pass backwards, index, trailer, header
// (docs/formats/state-history.md, "Finishing").
#pragma once

#include "base/frames/frame_file.hpp"
#include "base/result.hpp"
#include "history/layout/container.hpp"
#include "history/layout/key_list.hpp"

namespace polytrace::history {

// `footer` has everything but the exits; its header has the final end. Changes only the file.
base::result<void> finish_segments(base::FrameFile& file, const KeyList& keys, Footer footer);
// The stream layout has no index: its header says how long the file is.
base::result<void> finish_stream(base::FrameFile& file, FileHeader header);

}  // namespace polytrace::history
