// SPDX-License-Identifier: Apache-2.0
// Counts facts that are the same in our declarations and in a runtime's own headers, and prints
// those that are not.
#pragma once

#include <cstdio>

struct Comparison {
  int facts = 0;
  int differences = 0;

  void same(bool is_same, const char* kind, const char* name) {
    ++facts;
    if (is_same) return;
    ++differences;
    std::printf("%s %s differs\n", kind, name);
  }

  // What main() returns.
  int end(const char* whose) const {
    std::printf("%d facts compared with %s, %d differ\n", facts, whose, differences);
    return facts > 0 && differences == 0 ? 0 : 1;
  }
};
