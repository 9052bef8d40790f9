// SPDX-License-Identifier: Apache-2.0
// A command: what its help says, its options, what it does. --help, the man page and the shell
// completions are all made from this and the options it defines.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/option_list.hpp"

namespace polytrace::cli {

class Session;

struct Example {
  std::string_view says;     // what it is good for
  std::string_view command;  // the line to type
};

struct CommandHelp {
  std::string_view name;         // "group-command" for one of a group
  std::string_view purpose;      // one line, no full stop
  std::string_view usage;        // behind "polytrace NAME"
  std::string_view description;  // paragraphs, separated by blank lines
  std::vector<Example> examples;
  std::vector<int> exits;    // the codes that it can end with, besides 128+n
  std::string_view reading;  // where to read more
};

// Which of the common options a command understands, and what it tells about.
struct CommonNeeds {
  bool json = true;
  bool progress = true;
  bool pager = false;        // its text may be long: Session::page()
  bool all_options = false;  // it tells of other commands: their options are in the catalogue
};

class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  virtual const CommandHelp& help() const = 0;
  virtual CommonNeeds needs() const { return {}; }
  // Adds its own options.
  virtual void define(OptionList& list) = 0;
  // After parsing. Returns the exit code.
  virtual int run(Session& session) = 0;
};

// As people type it: "history-build" is "history build".
inline std::string spoken(std::string_view name) {
  std::string words(name);
  if (const std::size_t hyphen = words.find('-'); hyphen != words.npos) words[hyphen] = ' ';
  return words;
}
// Whether it belongs to a group, as "history-build" does.
inline bool is_grouped(std::string_view name) { return name.find('-') != name.npos; }

// To be pasted into a shell: this program, as this user can call it,
std::string own_command();
// a word, as a shell reads it,
std::string shell_quoted(const std::string& word);
// a file: a name that stands for an option or standard input is told as a path.
std::string as_operand(const std::string& file);

// The command and the options that it and all commands define; none for a command that was neither
// named nor is told of (CommonNeeds::all_options).
struct Entry {
  std::unique_ptr<Command> command;
  OptionList options{};
};

// Everything that can be asked for, in the order of the overview.
struct Catalogue {
  OptionList options;  // those before any command
  std::vector<Entry> entries;

  // By its name, also as people type it.
  const Entry* find(std::string_view name) const {
    for (const Entry& entry : entries) {
      const std::string_view own = entry.command->help().name;
      if (own == name || spoken(own) == name) return &entry;
    }
    return nullptr;
  }
};

}  // namespace polytrace::cli
