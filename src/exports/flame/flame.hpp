// SPDX-License-Identifier: Apache-2.0
// Flame graphs: a page that holds its data and needs nothing else, and a picture for embedding.
// Both are targets, though of no other tool.
#pragma once

#include "exports/target.hpp"

namespace polytrace::exports {

extern const Target kFlamePage;
extern const Target kFlamePageByThread;
extern const Target kFlamePicture;

}  // namespace polytrace::exports
