// SPDX-License-Identifier: Apache-2.0
// The runtimes that can be recorded: where they are, where our agents for them are, and how the one
// is told to load the other.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace polytrace::service {

// The path of a command in PATH; "" where there is none.
std::string find_in_path(std::string_view name);
// This program itself.
std::string own_path();

struct Runtime {
  std::string_view name;     // as people call it on the command line: "java"
  std::string_view title;    // "Java"
  std::string_view program;  // what is looked for in PATH
  std::string_view library;  // file name of the agent
  std::string_view source;   // where it can be had
};

// Of the agent for .NET, as CORECLR_PROFILER names it.
inline constexpr std::string_view kProfilerClass = "{8F0C6B52-3E1D-4A7B-9C42-51D7E6A90B34}";

std::span<const Runtime> runtimes();
const Runtime* find_runtime(std::string_view name);

struct InstalledRuntime {
  std::string version;  // "" where it does not say
  std::string path;     // of the program
};
// Those that are found on this machine. Mono and .NET are asked for their version.
std::vector<InstalledRuntime> installed(const Runtime& runtime);

// The program in PATH, or `told` where that is not empty. Errors: open_failed.
base::result<std::string> find_program(const Runtime& runtime, const std::string& told);
// The agent's library: `told`, else in $POLYTRACE_AGENTS (a list of folders), beside this program,
// in polytrace in the library folders of its prefix. Errors: open_failed.
base::result<std::string> find_agent(const Runtime& runtime, const std::string& told);

// How to get a missing part of polytrace, which Debian has in `package`: a command in a source tree
// or an installed package, a sentence elsewhere.
std::string remedy_of(std::string_view package);

struct Launch {
  std::vector<std::string> words;        // the program first
  std::vector<std::string> environment;  // "NAME=value", besides our own
};
// A program that runs under a runtime with our agent, which is told `options`. A program of .NET
// that is executable itself needs no `program` to run it.
Launch launch_of(const Runtime& runtime, const std::string& program, const std::string& agent,
                 const std::string& options, const std::vector<std::string>& arguments);
// The same where programs that it starts shall be recorded, too: what makes the runtime load the
// agent stands in the environment alone.
Launch launch_with_children(const Runtime& runtime, const std::string& program,
                            const std::string& agent, const std::string& options,
                            const std::vector<std::string>& arguments);

}  // namespace polytrace::service
