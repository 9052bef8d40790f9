// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/commands.hpp"
#include "cli/program.hpp"

namespace {

polytrace::cli::Catalogue parts() {
  using namespace polytrace::cli;
  Catalogue catalogue;
  for (const auto make : {make_info,
                          make_report,
                          make_diff,
                          make_heap_command,
                          make_cat,
                          make_check,
                          make_convert,
                          make_export,
                          make_flame,
                          make_repair,
                          make_merge,
                          make_cut,
                          make_anonymize,
                          make_state,
                          make_history,
                          make_history_build,
                          make_history_query,
                          make_history_snapshot,
                          make_history_info,
                          make_history_check,
                          make_history_repair,
                          make_history_import,
                          make_history_export,
                          make_history_convert,
                          make_record,
                          make_attach,
                          make_control,
                          make_doctor,
                          make_formats,
                          make_completion,
                          make_man,
                          make_help,
                          make_version})
    catalogue.entries.push_back({make()});
  return catalogue;
}

}  // namespace

int main(int argc, char** argv) {
  polytrace::cli::Catalogue catalogue = parts();
  return polytrace::cli::run_program(argc, argv, catalogue);
}
