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
  // The program that has the command, if it is not this one (companion.hpp): help() has only the
  // name then.
  virtual std::string_view program() const { return {}; }
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

// The command, what it is for (one line, no full stop), and the options that it and all commands
// define; none for a command that was neither named nor is needed (CommonNeeds::all_options).
struct Entry {
  std::unique_ptr<Command> command;
  std::string_view purpose;
  OptionList options{};

  std::string_view name() const { return command->help().name; }
  bool is_elsewhere() const { return !command->program().empty(); }
};

// Everything that can be asked for, in the order of the overview.
struct Catalogue {
  OptionList options;  // those before any command
  std::vector<Entry> entries;

  // By its name, also as people type it.
  const Entry* find(std::string_view name) const {
    for (const Entry& entry : entries) {
      if (entry.name() == name || spoken(entry.name()) == name) return &entry;
    }
    return nullptr;
  }
};

}  // namespace polytrace::cli
