// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/session.hpp"

namespace polytrace::cli {
namespace {

class Completion final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "completion",
        "prints the completion script of a shell",
        "SHELL",
        "Commands, options, their values, format names and files complete with the Tab key once "
        "the script is where the shell looks for it.",
        {{"bash, for this shell only", "source <(polytrace completion bash)"},
         {"zsh", "polytrace completion zsh > \"${fpath[1]}/_polytrace\""},
         {"fish", "polytrace completion fish > ~/.config/fish/completions/polytrace.fish"}},
        {0, 1, 2},
        "your shell's manual"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {false, false}; }
  void define(OptionList& list) override {
    list.add("SHELL", shell_, "bash, zsh or fish")
        .takes("SHELL")
        .required()
        .one_of({"bash", "zsh", "fish"});
  }
  int run(Session& session) override {
    const Catalogue& catalogue = session.catalogue();
    session.out().text() += shell_ == "bash"  ? bash_completion(catalogue)
                            : shell_ == "zsh" ? zsh_completion(catalogue)
                                              : fish_completion(catalogue);
    return 0;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion() { return std::make_unique<Completion>(); }

}  // namespace polytrace::cli
