// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>

#include "cli/errors.hpp"
#include "cli/first_word.hpp"
#include "cli/help_model.hpp"
#include "cli/help_text.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "cli/words.hpp"

namespace polytrace::cli {
namespace {

constexpr int kUsage = 2;

struct RootOptions {
  bool version = false;
};

void define(CLI::App& root, Catalogue& catalogue, Session& session, RootOptions& options) {
  catalogue.root = &root;
  root.set_help_flag("-h,--help", "This text");
  root.require_subcommand(0, 1);  // "help info" is one command, not two
  root.add_flag("-V,--version", options.version, "The version")->group("General");
  for (Entry& entry : catalogue.entries) {
    const CommandHelp& help = entry.command->help();
    entry.app = root.add_subcommand(std::string(help.name), std::string(help.purpose));
    entry.app->set_help_flag("-h,--help", "This text");
    entry.command->define(*entry.app);
    add_common_options(*entry.app, session.common, entry.command->needs());
  }
}

const Entry* parsed_entry(const Catalogue& catalogue) {
  for (const Entry& entry : catalogue.entries) {
    if (entry.app->parsed()) return &entry;
  }
  return nullptr;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const OptionGroup& group : option_groups(app)) {
    for (const OptionHelp& option : group.options)
      names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// CLI11's sentence, or a better one for words that nobody expected.
std::string complaint(const CLI::ParseError& error, const Catalogue& catalogue) {
  const Entry* entry = parsed_entry(catalogue);
  const CLI::App& app = entry == nullptr ? *catalogue.root : *entry->app;
  const auto extras = app.remaining();
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError) || extras.empty()) {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
  const std::string word = extras.front().substr(0, extras.front().find('='));
  if (!word.starts_with('-')) return fmt::format("unexpected argument \"{}\"", word);
  return fmt::format("no option {}{}", word, did_you_mean(word, option_names(app)));
}

int show_help(Session& session, const Catalogue& catalogue) {
  const Entry* entry = parsed_entry(catalogue);
  session.out().text() = entry == nullptr ? overview_help(catalogue) : command_help(*entry);
  return session.finish(0);
}

int run_parsed(Session& session, const Catalogue& catalogue, const RootOptions& options) {
  session.begin();
  const Entry* entry = parsed_entry(catalogue);
  if (options.version) entry = catalogue.find("version");
  if (entry == nullptr) {
    print(overview_help(catalogue));
    return kUsage;
  }
  watch_signals();
  return session.finish(entry->command->run(session));
}

int run_words(std::vector<std::string> words, Catalogue& catalogue, Session& session) {
  CLI::App root;
  RootOptions options;
  define(root, catalogue, session, options);
  const auto wants_json = [&] { return std::ranges::find(words, "--json") != words.end(); };
  session.common.json = wants_json();
  const auto fault = settle_first_word(words, catalogue);
  if (fault) return session.fail(*fault);
  if (const Entry* entry = words.empty() ? nullptr : catalogue.find(words[0]); entry != nullptr)
    entry->command->take_rest(words);
  session.common.json = wants_json();
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    root.parse(words);
  } catch (const CLI::CallForHelp&) {
    return show_help(session, catalogue);
  } catch (const CLI::ParseError& error) {
    return session.fail_usage(complaint(error, catalogue));
  }
  return run_parsed(session, catalogue, options);
}

}  // namespace

int run_program(int argc, char** argv, Catalogue& catalogue) {
  Session session(catalogue);
  try {
    return run_words({argv + 1, argv + std::max(argc, 1)}, catalogue, session);
  } catch (const std::exception& error) {
    print(fmt::format("polytrace: cannot go on: {}\n", error.what()));
    return 1;
  }
}

}  // namespace polytrace::cli
