// SPDX-License-Identifier: Apache-2.0
// What is different between two profiles, path by path, as a table.
#pragma once

#include "analysis/profile/profile.hpp"

namespace polytrace::analysis {

// Of what compared() made: a tree of the `limit` largest differences and their callers. The values
// of now are multiplied by `scale`; changes below `threshold` of the whole are left out.
Table tree_difference(const Profile& both, double scale, double threshold,
                      const TableOptions& options);

}  // namespace polytrace::analysis
