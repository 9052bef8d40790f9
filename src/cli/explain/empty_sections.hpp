// SPDX-License-Identifier: Apache-2.0
// Why sections of a report say nothing: what their format cannot hold, what was not recorded.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.hpp"
#include "base/text/json_writer.hpp"
#include "cli/show/cell_text.hpp"
#include "format/format.hpp"

namespace polytrace::cli {

struct EmptySection {
  const analysis::Section* section;
  std::string_view reason;  // for scripts: "no_place", "not_recorded" or "not_selected"
  std::string text;         // for people
};

std::vector<EmptySection> explain(const std::vector<analysis::Report::Empty>& sections,
                                  const format::Format& format);

void append_empty_text(std::string& out, const std::vector<EmptySection>& sections,
                       const Look& look);
void append_empty_markdown(std::string& out, const std::vector<EmptySection>& sections);
// The member "empty_sections".
void write_empty(base::JsonWriter& json, const std::vector<EmptySection>& sections);

}  // namespace polytrace::cli
