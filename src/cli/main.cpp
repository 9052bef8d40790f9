// SPDX-License-Identifier: Apache-2.0
// Compiled once for each program of polytrace; POLYTRACE_PROGRAM says which one this is.
#include "cli/program.hpp"

namespace polytrace::cli {

#define COMMAND(name, program, purpose) std::unique_ptr<Command> make_##name();
#include "cli/commands.def"
#undef COMMAND

namespace {

enum class Program : unsigned char { polytrace, ui, fleet, every };
constexpr Program kThis = Program::POLYTRACE_PROGRAM;

constexpr bool is_here(Program program) { return program == kThis || program == Program::every; }

constexpr std::string_view file_name(Program program) {
  if (program == Program::ui) return "polytrace-ui";
  return program == Program::fleet ? "polytrace-fleet" : "polytrace";
}

// The commands that this program does not have are not linked: nothing names what makes them.
Catalogue all_commands() {
  Catalogue catalogue;
#define COMMAND(name, program, purpose)                                                \
  if constexpr (is_here(Program::program)) add_own(catalogue, make_##name(), purpose); \
  else add_companion(catalogue, #name, purpose, file_name(Program::program));
#include "cli/commands.def"
#undef COMMAND
  return catalogue;
}

}  // namespace
}  // namespace polytrace::cli

int main(int argc, char** argv) {
  polytrace::cli::Catalogue catalogue = polytrace::cli::all_commands();
  return polytrace::cli::run_program(argc, argv, catalogue);
}
