// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "cli/frame/companion.hpp"
#include "cli/frame/session.hpp"
#include "cli/help/completion_exchange.hpp"
#include "cli/help/completion_scripts.hpp"
#include "service/input/overview.hpp"

namespace polytrace::cli {
namespace {

class Completion final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "completion",
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
    list.add("--words", prints_words_,
             "Print what this program itself completes instead, as lines for the other programs of "
             "polytrace");
  }
  int run(Session& session) override {
    if (!file_.empty()) return tell_threads(session);
    if (prints_words_) {
      session.out().text() += write_completion(completion_commands(session.catalogue()));
      return 0;
    }
    if (shell_.empty()) return session.fail_usage("SHELL is required: bash, zsh or fish");
    const auto commands = all_commands(session.catalogue());
    session.out().text() += shell_ == "bash"  ? bash_completion(commands)
                            : shell_ == "zsh" ? zsh_completion(commands)
                                              : fish_completion(commands);
    return 0;
  }

 private:
  int tell_threads(Session& session) const {
    for (const std::string& name : service::quick_thread_names(file_))
      session.out().text() += name + '\n';
    return 0;
  }

  // Asks the other programs for what they complete. Of one that is not there the names are known.
  static std::vector<CompletionCommand> all_commands(const Catalogue& catalogue) {
    std::map<std::string_view, std::vector<CompletionCommand>> companions;
    for (const Entry& entry : catalogue.entries) {
      const std::string_view program = entry.command->program();
      if (program.empty() || companions.contains(program)) continue;
      companions[program] = read_completion(companion_lines(program, {"completion", "--words"}));
    }
    std::vector<CompletionCommand> commands = completion_commands(catalogue);
    for (const Entry& entry : catalogue.entries)
      if (entry.is_elsewhere()) commands.push_back(find_or_name(companions, entry));
    return commands;
  }

  static CompletionCommand find_or_name(
      const std::map<std::string_view, std::vector<CompletionCommand>>& companions,
      const Entry& entry) {
    CompletionCommand named = name_of(entry);
    for (const CompletionCommand& command : companions.at(entry.command->program()))
      if (command.name == named.name) return command;
    return named;
  }

  std::string shell_, file_;
  bool prints_words_ = false;
};

}  // namespace

std::unique_ptr<Command> make_completion() { return std::make_unique<Completion>(); }

}  // namespace polytrace::cli
