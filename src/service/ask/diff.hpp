// SPDX-License-Identifier: Apache-2.0
// What `diff` is asked: what is different between two traces, or between several runs of each.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diff/comparison.hpp"
#include "base/text/json_writer.hpp"
#include "service/input/pass.hpp"
#include "service/selection/selection.hpp"

namespace polytrace::service {

struct DiffQuestion {
  std::vector<std::string> before{};  // files; at least one each
  std::vector<std::string> after{};
  InputOptions reading{};  // what holds for all of them
  SelectionOptions selection{};
  analysis::DiffOptions options{};
  const analysis::Weight* weight = nullptr;  // of the call tree; null: the first that is there
  std::optional<double> fail_over{};         // a part of the whole
  std::vector<std::string> fail_on{};        // topics; empty = any
};

struct DiffAnswer {
  std::vector<Reading> before{};
  std::vector<Reading> after{};
  analysis::Difference difference{};
  analysis::DiffOptions options{};
  std::optional<double> fail_over{};
  // What grew by more than `fail_over`, of the topics that count; the largest first.
  std::vector<analysis::Change> failures{};
};
Asked<DiffAnswer> ask_diff(const DiffQuestion& question, const Asking& asking);

// As members of an object: what grew more than by chance, the largest first, and whether times are
// judged.
void write_growths(base::JsonWriter& json, const analysis::Difference& difference);

// {"schema": "polytrace.diff/2", ...}
std::string diff_json(const DiffAnswer& answer);

}  // namespace polytrace::service
