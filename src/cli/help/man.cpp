// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/frame/commands.hpp"
#include "cli/frame/first_word.hpp"
#include "cli/frame/session.hpp"
#include "service/words/words.hpp"
#include "cli/help/man_page.hpp"

namespace polytrace::cli {
namespace {

class Man final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "man",
        "prints manual pages",
        "[COMMAND]",
        "Prints the manual page of a command, or of the whole program, for man(1) to show. It is "
        "made from what --help is made from, so the two never differ.",
        {{"read one", "polytrace man report | man -l -"},
         {"install one", "polytrace man info > ~/.local/share/man/man1/polytrace-info.1"}},
        {0, 1, 2},
        "man(1)"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {false, false}; }
  void define(OptionList& list) override {
    list.add("COMMAND", words_, "A command").takes("COMMAND").at_most(2);
  }
  int run(Session& session) override {
    const Catalogue& catalogue = session.catalogue();
    const std::string subject = fmt::format("{}", fmt::join(words_, " "));
    const Entry* entry = catalogue.find(subject);
    if (entry == nullptr && !subject.empty())
      return session.fail_usage(fmt::format("no command \"{}\"{}", subject,
                                            service::did_you_mean(subject, command_names(catalogue))));
    session.out().text() += entry == nullptr ? program_page(catalogue) : command_page(*entry);
    return 0;
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_man() { return std::make_unique<Man>(); }

}  // namespace polytrace::cli
