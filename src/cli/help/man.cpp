// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "cli/frame/companion.hpp"
#include "cli/frame/parser.hpp"
#include "cli/frame/session.hpp"
#include "cli/help/help_model.hpp"
#include "cli/help/help_text.hpp"
#include "service/words/words.hpp"

namespace polytrace::cli {
namespace {

// Of the manual's last change of form. Not of the build: the same sources shall give the same
// pages.
constexpr const char* kDate = "2026-11-23";

// Text as roff: nothing in it is a request or an escape.
std::string roff(std::string_view text) {
  std::string out;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
    at_line_start = c == '\n';
  }
  return out;
}

// The same in lines that editors and `mandoc -T lint` like; the reader of the page fills them anew.
std::string paragraph(std::string_view text) {
  constexpr std::size_t kWidth = 80;
  std::string out, line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string word = roff(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.size() + 1 + word.size() > kWidth)
      out += std::exchange(line, {}) + '\n';
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line;
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

std::string head(std::string_view page, std::string_view purpose, std::string_view usage) {
  const std::string synopsis =
      page == "polytrace" ? std::string(page) : "polytrace " + spoken(page.substr(10));
  return fmt::format(
      ".TH {} 1 {} \"polytrace {}\" \"polytrace manual\"\n.SH NAME\n{} \\- {}\n"
      ".SH SYNOPSIS\n.B {}\n{}\n",
      upper(roff(page)), kDate, POLYTRACE_VERSION, roff(page), roff(purpose), roff(synopsis),
      roff(usage));
}

std::string description(std::string_view text) {
  std::string out = ".SH DESCRIPTION\n";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    out += paragraph(text.substr(0, end)) + '\n';
    text.remove_prefix(std::min(end + 2, text.size()));
    if (!text.empty()) out += ".PP\n";
  }
  return out;
}

std::string entry_text(std::string_view what, std::string_view explanation) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(what), paragraph(explanation));
}

std::string options(const OptionList& list) {
  std::string out = ".SH OPTIONS\n";
  for (const OptionGroup& group : option_groups(list)) {
    out += fmt::format(".SS {}\n", roff(group.title));
    for (const OptionHelp& option : group.options) {
      std::string text = option.description;
      if (!option.default_value.empty())
        text += fmt::format(" (default: {})", option.default_value);
      out += entry_text(option.heading(), text);
    }
  }
  return out;
}

std::string last_sections(const CommandHelp& help) {
  std::string out = ".SH EXIT STATUS\n";
  for (const int code : help.exits) out += entry_text(fmt::format("{}", code), exit_meaning(code));
  out += ".SH EXAMPLES\n";
  for (const Example& example : help.examples)
    out += fmt::format(".TP\n{}\n.B {}\n", paragraph(example.says), roff(example.command));
  return out;
}

std::string program_page(const Catalogue& catalogue) {
  const CommandHelp& help = program_help();
  std::string out = head(help.name, kProgramPurpose, help.usage) + description(help.description);
  out += ".SH COMMANDS\n";
  for (const Entry& entry : catalogue.entries)
    out += entry_text(spoken(entry.name()), entry.purpose);
  out += options(catalogue.options);
  for (const Topic& topic : topics())
    out += fmt::format(".SH {}\n.nf\n{}.fi\n", upper(topic.name), roff(topic.text()));
  out += last_sections(help) + ".SH SEE ALSO\n";
  for (const Entry& entry : catalogue.entries)
    out += fmt::format(".BR polytrace\\-{} (1){}\n", roff(entry.command->help().name),
                       &entry == &catalogue.entries.back() ? "" : ",");
  return out;
}

std::string command_page(const Entry& entry) {
  const CommandHelp& help = entry.command->help();
  std::string out = head(fmt::format("polytrace-{}", help.name), entry.purpose, help.usage);
  out += description(help.description) + options(entry.options) + last_sections(help);
  return out + fmt::format(".SH SEE ALSO\n.BR polytrace (1)\n.PP\n{}\n", paragraph(help.reading));
}

class Man final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "man",
        "[COMMAND]",
        "Prints the manual page of a command, or of the whole program, for man(1) to show. It is "
        "made from what --help is made from, so the two never differ.",
        {{"read one", "polytrace man report | man -l -"},
         {"install one", "polytrace man info > ~/.local/share/man/man1/polytrace-info.1"}},
        {0, 1, 2},
        "man(1)"};
    return kHelp;
  }
  CommonNeeds needs() const override {
    return {.json = false, .progress = false, .all_options = true};
  }
  void define(OptionList& list) override {
    list.add("COMMAND", words_, "A command").takes("COMMAND").at_most(2);
  }
  int run(Session& session) override {
    const Catalogue& catalogue = session.catalogue();
    const std::string subject = fmt::format("{}", fmt::join(words_, " "));
    const Entry* entry = catalogue.find(subject);
    if (entry == nullptr && !subject.empty())
      return session.fail_usage(
          fmt::format("no command \"{}\"{}", subject,
                      service::did_you_mean(subject, command_names(catalogue))));
    if (entry != nullptr && entry->is_elsewhere())
      return session.fail(run_companion(entry->command->program(), {"man", subject}), subject);
    session.out().text() += entry == nullptr ? program_page(catalogue) : command_page(*entry);
    return 0;
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_man() { return std::make_unique<Man>(); }

}  // namespace polytrace::cli
