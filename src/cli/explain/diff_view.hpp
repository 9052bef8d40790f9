// SPDX-License-Identifier: Apache-2.0
// How the answer of `diff` looks in each form.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diff/comparison.hpp"
#include "service/input/input.hpp"
#include "cli/show/tables.hpp"

namespace polytrace::cli {

// A trace that was read.
struct DiffInput {
  std::unique_ptr<Input> input;
  const format::Format* format;
  std::string version;
  Passed passed;
};
// The runs of one side.
struct DiffInputs {
  std::vector<DiffInput> inputs{};
  analysis::DiffSide runs{};
};

struct DiffResult {
  DiffInputs before{};
  DiffInputs after{};
  const analysis::DiffOptions& options;
  analysis::Difference difference{};
  std::optional<double> fail_over;          // a part of the whole
  const std::vector<std::string>& fail_on;  // topics; empty = any

  // What grew by more than that, the largest first.
  std::vector<analysis::Growth> failures() const;
  bool failed() const { return !failures().empty(); }
};

void append_diff(std::string& out, const DiffResult& result, TableForm form,
                 const Look& look);

}  // namespace polytrace::cli
