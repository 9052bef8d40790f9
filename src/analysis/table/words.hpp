// SPDX-License-Identifier: Apache-2.0
// Analyses speak in the words of the room below: here Names, Slice, Selection, StackTree and all
// that slice has stand without its name. In the lowest folder, so that every file of the room can
// have it; other rooms say slice::Names.
#pragma once

#include "slice/names.hpp"
#include "slice/selection.hpp"
#include "slice/slice.hpp"

namespace polytrace::analysis {

using namespace slice;

}  // namespace polytrace::analysis
