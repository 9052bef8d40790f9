// SPDX-License-Identifier: Apache-2.0
// Where a conversion goes: which format, which version of it, which file.
#pragma once

#include <string>

#include "format/format.hpp"

namespace polytrace::cli {

struct TargetOptions {
  std::string output;
  std::string to;  // NAME[:VERSION]
  std::string to_version;
  bool force = false;
};

struct Target {
  const format::Format* format = nullptr;
  std::string version;
};

// The format that was asked for, else the one of the output's ending, else the input's own.
// Errors are usage.
base::result<Target> choose_target(const TargetOptions& options, const format::Format& input);

// Refuses what must not be written to: the input, a terminal, an existing file without --force.
// An output that ends in .gz is compressed.
base::result<std::unique_ptr<base::Sink>> open_target(const TargetOptions& options,
                                                      const std::string& input);

}  // namespace polytrace::cli
