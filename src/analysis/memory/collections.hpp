// SPDX-License-Identifier: Apache-2.0
// Garbage collections: per generation how many and how long, how long the world stood still, what
// they did to the heap's size, and each one in order of time.
// Tables: collection_generations, collection_pauses, heap_size, collections.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

std::unique_ptr<Analysis> make_collections(const Selection& selection);

}  // namespace polytrace::analysis
