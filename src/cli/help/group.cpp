// SPDX-License-Identifier: Apache-2.0
#include "cli/help/group.hpp"

#include "cli/frame/session.hpp"
#include "cli/help/help_text.hpp"

namespace polytrace::cli {
namespace {

class Group final : public Command {
 public:
  explicit Group(const CommandHelp& help) : help_(help) {}
  const CommandHelp& help() const override { return help_; }
  CommonNeeds needs() const override { return {false, false}; }
  void define(OptionList&) override {}
  int run(Session& session) override {
    session.out().text() += group_help(session.catalogue(), help_.name);
    return 0;
  }

 private:
  const CommandHelp& help_;
};

}  // namespace

std::unique_ptr<Command> make_group(const CommandHelp& help) {
  return std::make_unique<Group>(help);
}

}  // namespace polytrace::cli
