// SPDX-License-Identifier: Apache-2.0
// The words of the room below that every analysis speaks in.
#pragma once

#include "slice/names.hpp"
#include "slice/selection.hpp"
#include "slice/slice.hpp"

namespace polytrace::analysis {

using slice::Names;
using slice::NameTable;
using slice::Pauses;
using slice::Run;
using slice::Selection;
using slice::Slice;
using slice::ThreadInfo;

}  // namespace polytrace::analysis
