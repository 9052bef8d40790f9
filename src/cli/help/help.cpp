// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/codes.hpp"
#include "cli/frame/companion.hpp"
#include "cli/frame/parser.hpp"
#include "cli/frame/session.hpp"
#include "cli/help/help_text.hpp"
#include "service/words/words.hpp"

namespace polytrace::cli {
namespace {

class Help final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "help",
        "[COMMAND | TOPIC]",
        "Without a word: all commands and topics. \"polytrace help report\" and \"polytrace report "
        "--help\" print the same.",
        {{"how to use report", "polytrace help report"},
         {"how to write times", "polytrace help times"},
         {"what exit codes mean", "polytrace help exit-codes"}},
        {0, 1, 2},
        "docs/reference/commands.md"};
    return kHelp;
  }
  CommonNeeds needs() const override {
    return {.json = false, .progress = false, .all_options = true};
  }
  void define(OptionList& list) override {
    list.add("COMMAND", words_, "A command or a topic").takes("COMMAND").at_most(2);
  }
  int run(Session& session) override {
    const std::string subject = fmt::format("{}", fmt::join(words_, " "));
    const Entry* const entry = session.catalogue().find(subject);
    if (entry != nullptr && entry->is_elsewhere())
      return session.fail(run_companion(entry->command->program(), {"help", subject}), subject);
    const auto text = text_for(session.catalogue(), subject);
    if (!text) return session.fail(text.error());
    session.out().text() += *text;
    return 0;
  }

 private:
  static base::result<std::string> text_for(const Catalogue& catalogue,
                                            const std::string& subject) {
    if (subject.empty()) return overview_help(catalogue);
    if (const Entry* entry = catalogue.find(subject)) return command_help(*entry);
    auto known = command_names(catalogue);
    for (const Topic& topic : topics()) {
      if (topic.name == subject) return topic.text();
      known.emplace_back(topic.name);
    }
    return base::fail(base::Code::usage, fmt::format("no help on \"{}\"{}", subject,
                                                     service::did_you_mean(subject, known)));
  }

  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_help() { return std::make_unique<Help>(); }

}  // namespace polytrace::cli
