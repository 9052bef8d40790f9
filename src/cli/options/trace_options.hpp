// SPDX-License-Identifier: Apache-2.0
// The options that say which trace is asked about, and which part of it: the same words with the
// same meaning in every command.
#pragma once

#include "cli/frame/option_list.hpp"
#include "service/selection/selection.hpp"

namespace polytrace::cli {

// FILE alone.
void add_input_file(OptionList& list, service::InputOptions& options);
enum class Following : std::uint8_t { offered, not_offered };
void add_following(OptionList& list, bool& follow);
// --follow where it makes sense, --resync.
void add_reading_options(OptionList& list, service::InputOptions& options, Following following);
// All of these, and --strict.
void add_input_options(OptionList& list, service::InputOptions& options, Following following);

// --index and --no-index, for what may answer from an index; of several traces without --index,
// which names that of one.
enum class Traces : std::uint8_t { one, several };
void add_index_options(OptionList& list, service::IndexOptions& options, Traces traces);
// --index alone, for the commands about indexes.
void add_index_place(OptionList& list, std::string& folder);

// --from, --to, --thread, --name, --regex. Without --name where it means nothing (null).
void add_selection_options(OptionList& list, service::SelectionOptions& options,
                           const char* name_means);
// --subtract
void add_subtract_option(OptionList& list, service::SelectionOptions& options);

}  // namespace polytrace::cli
