// SPDX-License-Identifier: Apache-2.0
// Damaged copies of an input: scattered wrong bytes, a few wrong bytes, a number of maximal length,
// a cut. The same engine state gives the same damage.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace polytrace::test {

std::vector<std::byte> mutate(std::vector<std::byte> bytes, std::mt19937_64& engine);

}  // namespace polytrace::test
