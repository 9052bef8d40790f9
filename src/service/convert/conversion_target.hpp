// SPDX-License-Identifier: Apache-2.0
// Where a conversion goes: which format, which version of it, which file.
#pragma once

#include <string>

#include "format/format.hpp"

namespace polytrace::service {

struct TargetOptions {
  std::string output{};  // - is standard output
  std::string to{};      // NAME[:VERSION]
  std::string to_version{};
  std::string byte_order{};  // "big", "little", empty = the format's own
  bool force = false;
  bool leave_open = false;  // where the input has no end, neither has the output
  bool as_input = false;    // the input's own format, and version if that can be written
};

struct Target {
  const format::Format* format = nullptr;
  format::WriteOptions write;  // with a version
};

// The format that was asked for, else the one of the output's ending, else the input's own.
// Errors are usage.
base::result<const format::Format*> choose_format(const TargetOptions& options,
                                                  const format::Format& input);
// Version and byte order of it. Errors are usage.
base::result<Target> choose_target(const TargetOptions& options, const format::Format& format,
                                   std::string_view input_version);

// Whether both name one existing file; "-" is standard input and standard output.
bool is_same_file(const std::string& input, const std::string& output);

// Refuses what must not be written to: the input, a terminal, an existing file without `force`.
// An output that ends in .gz or .zst is compressed.
base::result<std::unique_ptr<base::Sink>> open_target(const TargetOptions& options,
                                                      const std::string& input);

}  // namespace polytrace::service
