// SPDX-License-Identifier: Apache-2.0
// What an export does not hold of what was selected. Every maker fills one; it is said on standard
// error, in JSON and, as sentences, inside the file.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/text/utf8.hpp"
#include "event/details.hpp"

namespace polytrace::exports {

// Of a name in any file: with names of a megabyte some readers never end.
inline constexpr std::size_t kLongestName = 4096;

// The same of a field of an event: only one that is a name.
inline std::string field_text(std::string_view field, std::string_view value) {
  return field == "name" ? base::short_name(std::string(value), kLongestName) : std::string(value);
}

// What a cap cut off.
struct Cut {
  std::string what;  // in the plural: "stacks", "events"
  std::uint64_t count = 0;
  std::string cap;  // "--limit 200000"
};

struct Account {
  using Kinds = std::array<std::uint64_t, event::kKindCount>;  // by event::Kind

  Kinds left_out{};  // events that the target has no place for
  std::vector<Cut> cuts;
  std::vector<std::string> notes;   // sentences: estimates, what was put right
  std::vector<std::string> limits;  // that were reached: analysis::Analysis::limits()

  void leave_out(event::Kind kind, std::uint64_t count = 1) {
    left_out[static_cast<std::size_t>(kind)] += count;
  }
  void cut(std::string what, std::uint64_t count, std::string cap) {
    if (count != 0) cuts.push_back({std::move(what), count, std::move(cap)});
  }
  // Tells how many names are shorter than in the trace.
  void tell_short_names(std::uint64_t count);
  std::uint64_t events_left_out() const;
  // "Left out: 12 events (gc 8, jit 4).", "Cut by --limit 10: 3 stacks.", the notes.
  std::vector<std::string> sentences() const;
};

}  // namespace polytrace::exports
