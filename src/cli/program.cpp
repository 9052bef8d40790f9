// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "cli/frame/companion.hpp"
#include "cli/frame/parser.hpp"
#include "cli/frame/session.hpp"
#include "cli/frame/signals.hpp"
#include "cli/help/help_text.hpp"

namespace polytrace::cli {
namespace {

constexpr int kUsage = 2;

struct RootOptions {
  bool version = false;
};

void define(Entry& entry, Session& session) {
  entry.command->define(entry.options);
  add_common_options(entry.options, session.common, entry.command->needs());
}

// Defines the options of the command that was named, and those of all if it needs them: that takes
// longer than a short run of any command.
void define_needed(Catalogue& catalogue, const Entry* named, Session& session) {
  if (named == nullptr) return;
  const bool all = named->command->needs().all_options;
  for (Entry& entry : catalogue.entries)
    if ((all && !entry.is_elsewhere()) || &entry == named) define(entry, session);
}

int show_help(Session& session, const Catalogue& catalogue, const Entry* entry) {
  session.page();
  session.out().text() = entry == nullptr ? overview_help(catalogue) : command_help(*entry);
  return session.finish(0);
}

int run_entry(Session& session, const Catalogue& catalogue, const Entry* entry) {
  session.begin();
  if (entry == nullptr) {
    print(overview_help(catalogue));
    return kUsage;
  }
  watch_signals();
  return session.finish(entry->command->run(session));
}

int run_words(std::vector<std::string> words, Catalogue& catalogue, Session& session) {
  const std::vector<std::string> typed = words;
  RootOptions options;
  catalogue.options.add("-V,--version", options.version, "The version").in("General");
  session.common.json = std::find(words.begin(), words.end(), "--json") != words.end();
  const auto fault = settle_first_word(words, catalogue);
  if (fault) return session.fail(*fault);
  const Entry* const named = words.empty() ? nullptr : catalogue.find(words.front());
  if (named != nullptr && named->is_elsewhere())
    return session.fail(run_companion(named->command->program(), typed), spoken(named->name()));
  define_needed(catalogue, named, session);
  leave_rest(words, named);
  session.common.json = std::find(words.begin(), words.end(), "--json") != words.end();
  const Parsed parsed = parse(std::move(words), catalogue, named);
  if (!parsed.complaint.empty()) return session.fail_usage(parsed.complaint);
  if (parsed.wants_help) return show_help(session, catalogue, parsed.entry);
  const Entry* entry = options.version ? catalogue.find("version") : parsed.entry;
  return run_entry(session, catalogue, entry);
}

}  // namespace

void add_own(Catalogue& catalogue, std::unique_ptr<Command> command, std::string_view purpose) {
  catalogue.entries.push_back({std::move(command), purpose});
}

void add_companion(Catalogue& catalogue, std::string_view identifier, std::string_view purpose,
                   std::string_view program) {
  catalogue.entries.push_back({make_companion(identifier, program), purpose});
}

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
