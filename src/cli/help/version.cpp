// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/frame/command.hpp"
#include "cli/frame/session.hpp"
#include "service/ask/about.hpp"

namespace polytrace::cli {
namespace {

class Version final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "version",
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
    session.out().text() += session.common.json ? service::version_json()
                                                : fmt::format("polytrace {}\n", POLYTRACE_VERSION);
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_version() { return std::make_unique<Version>(); }

}  // namespace polytrace::cli
