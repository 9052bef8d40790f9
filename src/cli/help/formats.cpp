// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/frame/command.hpp"
#include "cli/frame/session.hpp"
#include "cli/show/text_table.hpp"
#include "format/format.hpp"
#include "service/ask/about.hpp"

namespace polytrace::cli {
namespace {

std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", word);
  return text.empty() ? "-" : text;
}

std::string as_text(const Terminal& terminal) {
  TextTable table;
  table.columns = {{"Name"}, {"Format"}, {"Ending"}, {"Reads versions"}, {"Writes versions"}};
  for (const format::Format* format : format::formats())
    table.rows.push_back({std::string(format->name), std::string(format->title),
                          std::string(format->suffix), std::string(format->read_versions),
                          joined(format->write_versions)});
  std::string out;
  append_text_table(out, table, terminal);
  return out;
}

class Formats final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "formats",
        "[OPTIONS]",
        "Lists every format with the versions that can be read and written; the first of the "
        "written ones is what convert writes unless asked otherwise.",
        {{"as a table", "polytrace formats"},
         {"the names only", "polytrace formats --json | jq -r '.formats[].name'"}},
        {0, 1, 2},
        "docs/reference/json.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList&) override {}
  int run(Session& session) override {
    session.out().text() +=
        session.common.json ? service::formats_json() : as_text(session.look().terminal);
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_formats() { return std::make_unique<Formats>(); }

}  // namespace polytrace::cli
