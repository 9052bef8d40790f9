// SPDX-License-Identifier: Apache-2.0
// Which part of a trace is asked about, in words: the same words with the same meaning for every
// question.
#pragma once

#include <string>

#include "service/input/input.hpp"
#include "slice/selection.hpp"

namespace polytrace::service {

struct SelectionOptions {
  std::string from{};    // times as times.hpp has them; empty: from the beginning
  std::string to{};      // empty: to the end
  std::string thread{};  // an id, a name, or a pattern of names; empty: all
  std::string name{};
  bool regex = false;      // how the name is meant
  std::string subtract{};  // "gc", "waits", or both: what does not count as time of calls
  std::string_view to_option = "--to";  // what complaints call it
};

// Whether a beginning or an end was chosen.
inline bool has_from(const slice::Selection& selection) {
  return selection.from != slice::Selection{}.from;
}
inline bool has_to(const slice::Selection& selection) {
  return selection.to != slice::Selection{}.to;
}

// Errors are usage.
base::result<event::NameChoice> choose_names(const SelectionOptions& options);

// Reads the input once beforehand where times or a thread's name ask for it, and once for pauses.
base::result<slice::Selection> make_selection(Input& input, const SelectionOptions& options);

// What the words of SelectionOptions::subtract say, into the selection. Pauses are found in a pass
// of its own. Errors are usage or of the input.
base::result<void> subtract(Input& input, std::string_view words, slice::Selection& selection);

}  // namespace polytrace::service
