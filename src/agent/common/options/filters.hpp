// SPDX-License-Identifier: Apache-2.0
// Which classes and methods are recorded: TPTP's rules, and a short form of them.
//
//   rule    class-pattern method-pattern INCLUDE|EXCLUDE; the first that matches decides
//   pattern a name; a `*` may stand first or last and nowhere else; `*` alone matches all
//   short   com.acme.*,-com.acme.gen.*   a leading '-' excludes, ':' divides class from method
//           (com.acme.Main:run*); what no rule matches is excluded as soon as one rule includes
//
// Immutable once built: any thread may ask. Class names are written with dots.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/common/tools/faults.hpp"

namespace polytrace::agent {

inline constexpr std::size_t kMostRules = 4096;
inline constexpr std::size_t kMostRuleBytes = 1024;

class Pattern {
 public:
  enum class Kind : unsigned char { all, exact, prefix, suffix };

  Pattern() = default;  // matches all
  // False: a `*` in the middle.
  static bool parse(std::string_view text, Pattern& pattern);

  bool matches(std::string_view name) const;
  Kind kind() const { return kind_; }
  // As parse() takes it.
  std::string written() const;

 private:
  Kind kind_ = Kind::all;
  std::string text_;
};

struct Rule {
  Pattern type;
  Pattern method;
  bool include = true;
};

enum class Verdict : unsigned char { none, some, all };

class Filters {
 public:
  // Rules of one text, a line each (TPTP's filter file; empty lines and lines that start with '#'
  // say nothing). A bad rule is told and left out; so is what exceeds the bounds.
  void add_lines(std::string_view text, Faults& faults);
  // The short form; several calls go on where the former ended.
  void add_short(std::string_view text, Faults& faults);
  // The rules of a file. A file that cannot be read is told.
  void add_file(const std::string& path, Faults& faults);
  // Rules behind those of the user: the runtime's own classes out.
  void add_default(std::string_view class_pattern, bool include);

  bool includes(std::string_view type, std::string_view method) const;
  // What the user's rules alone say; nothing where none matches.
  std::optional<bool> chosen(std::string_view type, std::string_view method) const;
  // Rules of the short form have named what is wanted: the rest is not.
  bool leaves_out_the_rest() const { return short_includes_; }
  // Of a class, without looking at its methods. kSome: they decide.
  Verdict verdict(std::string_view type) const;
  const std::vector<Rule>& rules() const { return rules_; }
  bool empty() const { return rules_.empty(); }

 private:
  void add(std::string_view type, std::string_view method, bool include, Faults& faults);

  std::vector<Rule> rules_;
  std::size_t short_begin_ = 0;  // of the last run of rules in the short form
  std::size_t short_end_ = 0;
  bool short_includes_ = false;  // the short form has named what is wanted
  std::size_t defaults_ = 0;     // rules at the end
};

}  // namespace polytrace::agent
