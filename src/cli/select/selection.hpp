// SPDX-License-Identifier: Apache-2.0
// --from, --to, --thread, --name, --regex (and, see subtract.hpp, --subtract): the same words with
// the same meaning in every command.
#pragma once

#include <string>

#include "analysis/analysis.hpp"
#include "cli/input/input.hpp"
#include "cli/input/overview.hpp"

namespace polytrace::cli {

struct SelectionOptions {
  std::string from;
  std::string to;
  std::string thread;
  std::string name;
  bool regex = false;
  std::string subtract;
  std::string_view to_option = "--to";  // another name where that means something else
};

// Without --name where it means nothing (null).
void add_selection_options(OptionList& list, SelectionOptions& options, const char* name_means);

base::result<event::NameChoice> choose_names(const SelectionOptions& options);

// Reads the input once beforehand where times or a thread's name ask for it, and once for pauses.
base::result<slice::Selection> make_selection(const Session& session, Input& input,
                                              const SelectionOptions& options);

}  // namespace polytrace::cli
