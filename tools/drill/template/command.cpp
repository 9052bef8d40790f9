// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/command.hpp"
#include "cli/frame/session.hpp"

namespace polytrace::cli {
namespace {

// Says one line: what the drill adds.
class Drill final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{"drill",
                                   "[OPTIONS]",
                                   "Says that it is there.",
                                   {{"hear it", "polytrace drill"}},
                                   {0, 1, 2},
                                   "docs/architecture.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {.json = false, .progress = false}; }
  void define(OptionList&) override {}
  int run(Session& session) override {
    session.out().text() += "here\n";
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_drill() { return std::make_unique<Drill>(); }

}  // namespace polytrace::cli
