// SPDX-License-Identifier: Apache-2.0
// How the answer of `diff` looks in each form.
#pragma once

#include <optional>
#include <string>

#include "analysis/trace_diff.hpp"
#include "cli/input.hpp"
#include "cli/show/tables.hpp"

namespace polytrace::cli {

// One of the two traces.
struct DiffInput {
  const Input& input;
  const format::Opened& opened;
  const Passed& passed;
};

struct DiffResult {
  DiffInput before;
  DiffInput after;
  const analysis::DiffOptions& options;
  const analysis::Difference& difference;
  double scale;
  std::optional<double> fail_over;  // a part of the whole
  bool failed() const { return fail_over && difference.worst > *fail_over; }
};

void append_diff(std::string& out, const DiffResult& result, show::TableForm form,
                 const show::Look& look);

}  // namespace polytrace::cli
