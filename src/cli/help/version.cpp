// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/json_writer.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/session.hpp"
#include "format/format.hpp"

namespace polytrace::cli {
namespace {

class Version final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "version",
        "version, compiler, formats",
        "[OPTIONS]",
        "Prints the version of the program; with --json also the compiler and the versions of the "
        "formats that it reads and writes.",
        {{"one line", "polytrace version"}, {"for a bug report", "polytrace version --json"}},
        {0, 1, 2},
        "docs/reference/json.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList&) override {}
  int run(Session& session) override {
    std::string& out = session.out().text();
    if (!session.common.json) {
      out += fmt::format("polytrace {}\n", POLYTRACE_VERSION);
      return 0;
    }
    base::JsonWriter json(out);
    json.begin_object();
    json.member("schema", "polytrace.version/1");
    json.member("version", POLYTRACE_VERSION);
    json.member("compiler", __VERSION__);
    json.member("language", std::int64_t{__cplusplus});
    json.key("formats");
    json.begin_array();
    for (const format::Format* format : format::formats()) {
      json.begin_object();
      json.member("name", format->name);
      json.member("reads", format->read_versions);
      json.key("writes");
      json.begin_array();
      for (const std::string_view version : format->write_versions) json.value(version);
      json.end_array();
      json.end_object();
    }
    json.end_array();
    json.end_object();
    out += '\n';
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_version() { return std::make_unique<Version>(); }

}  // namespace polytrace::cli
