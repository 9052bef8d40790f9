// SPDX-License-Identifier: Apache-2.0
// The commands, one file each.
#pragma once

#include "cli/frame/command.hpp"

namespace polytrace::cli {

std::unique_ptr<Command> make_info();
std::unique_ptr<Command> make_report();
std::unique_ptr<Command> make_diff();
std::unique_ptr<Command> make_heap_command();
std::unique_ptr<Command> make_cat();
std::unique_ptr<Command> make_check();
std::unique_ptr<Command> make_convert();
std::unique_ptr<Command> make_export();
std::unique_ptr<Command> make_flame();
std::unique_ptr<Command> make_repair();
std::unique_ptr<Command> make_merge();
std::unique_ptr<Command> make_cut();
std::unique_ptr<Command> make_anonymize();
std::unique_ptr<Command> make_state();
std::unique_ptr<Command> make_history();
std::unique_ptr<Command> make_history_build();
std::unique_ptr<Command> make_history_query();
std::unique_ptr<Command> make_history_snapshot();
std::unique_ptr<Command> make_history_info();
std::unique_ptr<Command> make_history_check();
std::unique_ptr<Command> make_history_repair();
std::unique_ptr<Command> make_history_import();
std::unique_ptr<Command> make_history_export();
std::unique_ptr<Command> make_history_convert();
std::unique_ptr<Command> make_record();
std::unique_ptr<Command> make_attach();
std::unique_ptr<Command> make_control();
std::unique_ptr<Command> make_doctor();
std::unique_ptr<Command> make_formats();
std::unique_ptr<Command> make_completion();
std::unique_ptr<Command> make_man();
std::unique_ptr<Command> make_help();
std::unique_ptr<Command> make_version();

}  // namespace polytrace::cli
