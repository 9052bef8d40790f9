// SPDX-License-Identifier: Apache-2.0
// The program `polytrace` as a child that makes another format of our stream, so that its libraries
// stay out of this process.
#pragma once

#include <sys/types.h>

#include <string>

#include "agent/common/options/options.hpp"
#include "agent/common/tools/faults.hpp"

namespace polytrace::agent {

struct Converter {
  int input = -1;  // write end of its input, not blocking; -1: it could not be started
  pid_t process = -1;
};

// polytrace convert - --segments ... --to options.format --leave-open --private -o file, in a
// process group of its own: what ends this process from a terminal leaves it the end of the stream,
// and what kills it leaves it `segments`, the descriptor of the segment file.
Converter start_converter(const Options& options, const std::string& file, int segments,
                          Faults& faults);
// The program: options.converter, $POLYTRACE, beside this library or in ../bin from there, PATH.
// "" where there is none.
std::string find_converter(const Options& options);

}  // namespace polytrace::agent
