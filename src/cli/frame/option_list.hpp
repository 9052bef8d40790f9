// SPDX-License-Identifier: Apache-2.0
// The options of a command, as data: the parser (parser.hpp), --help, man pages and shell
// completions are made from them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace polytrace::cli {

// Where parsing puts what was typed; it keeps what stands there when the option is not given.
struct OptionTarget {
  OptionTarget(bool& flag) : where(&flag) {}
  OptionTarget(std::string& word) : where(&word) {}
  OptionTarget(std::uint64_t& number) : where(&number) {}
  // Of an option that may be given again, or of several positional words.
  OptionTarget(std::vector<std::string>& words) : where(&words) {}
  OptionTarget(std::vector<std::uint32_t>& numbers) : where(&numbers) {}

  std::variant<bool*, std::string*, std::uint64_t*, std::vector<std::string>*,
               std::vector<std::uint32_t>*>
      where;
};

struct Option {
  std::vector<std::string> names;  // "-q", "--quiet"; empty for a positional argument
  OptionTarget target;
  std::string description;
  std::string position{};              // of a positional argument, in complaints: "DIR"
  std::string value{};                 // what it takes: "FILE"; empty for a flag
  std::string group = "Options";       // its heading in help
  std::vector<std::string> choices{};  // the words it can take, when they are known
  bool takes_others = false;           // the choices are for completion only: nobody checks them
  std::string default_value{};         // as help shows it; empty = none
  bool is_required = false;
  int most_words = 0;  // of a positional argument of many words; 0 = no limit

  bool is_positional() const { return !position.empty(); }
  bool is_flag() const { return std::holds_alternative<bool*>(target.where); }

  Option& takes(std::string_view name);
  Option& in(std::string_view heading);
  Option& one_of(std::vector<std::string> words);
  // Words that the command checks itself, or some of very many.
  Option& suggests(std::vector<std::string> words);
  Option& required();
  Option& at_most(int words);
  // Help tells what the target holds now.
  Option& shows_default();
};

class OptionList {
 public:
  // `name` is "--to", "-o,--output", or in capitals what a positional argument is.
  // REQUIRES: the target lives as long as the list. The result lives as long, too.
  Option& add(std::string_view name, OptionTarget target, std::string_view description);

  // Words behind the positional arguments, options of another program among them, go there as they
  // are; a leading "--" is left out.
  void leave_rest_to(std::vector<std::string>& words) { rest_ = &words; }

  // Words behind a "--" go there: a second list of positional arguments.
  void take_behind_dashes(std::vector<std::string>& words) { behind_dashes_ = &words; }

  const std::deque<Option>& all() const { return options_; }
  std::vector<std::string>* rest() const { return rest_; }
  std::vector<std::string>* behind_dashes() const { return behind_dashes_; }

 private:
  std::deque<Option> options_;
  std::vector<std::string>* rest_ = nullptr;
  std::vector<std::string>* behind_dashes_ = nullptr;
};

}  // namespace polytrace::cli
