// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/command.hpp"
#include "cli/frame/session.hpp"
#include "cli/help/completion_scripts.hpp"
#include "service/input/overview.hpp"

namespace polytrace::cli {
namespace {

class Completion final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "completion",
        "prints the completion script of a shell",
        "SHELL",
        "Commands, options, their values, format names, files and threads of a trace complete with "
        "the Tab key once the script is where the shell looks for it. Debian's package has put it "
        "there.",
        {{"bash, for this shell only", "source <(polytrace completion bash)"},
         {"zsh", "polytrace completion zsh > \"${fpath[1]}/_polytrace\""},
         {"fish", "polytrace completion fish > ~/.config/fish/completions/polytrace.fish"}},
        {0, 1, 2},
        "your shell's manual"};
    return kHelp;
  }
  CommonNeeds needs() const override {
    return {.json = false, .progress = false, .all_options = true};
  }
  void define(OptionList& list) override {
    list.add("SHELL", shell_, "bash, zsh or fish").takes("SHELL").one_of({"bash", "zsh", "fish"});
    list.add("--threads", file_,
             "Print the names of the threads of this trace instead, as the scripts ask for them: "
             "one a line, none where it cannot be read")
        .takes("FILE");
  }
  int run(Session& session) override {
    if (!file_.empty()) return tell_threads(session);
    if (shell_.empty()) return session.fail_usage("SHELL is required: bash, zsh or fish");
    const Catalogue& catalogue = session.catalogue();
    session.out().text() += shell_ == "bash"  ? bash_completion(catalogue)
                            : shell_ == "zsh" ? zsh_completion(catalogue)
                                              : fish_completion(catalogue);
    return 0;
  }

 private:
  int tell_threads(Session& session) const {
    for (const std::string& name : service::quick_thread_names(file_))
      session.out().text() += name + '\n';
    return 0;
  }

  std::string shell_, file_;
};

}  // namespace

std::unique_ptr<Command> make_completion() { return std::make_unique<Completion>(); }

}  // namespace polytrace::cli
