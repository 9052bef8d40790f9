// SPDX-License-Identifier: Apache-2.0
// Names that were chosen, by a text in them or by a pattern; where nothing was said, every name
// counts. Copies share the pattern; thread-safe while nobody assigns.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace polytrace::event {

class NameChoice {
 public:
  NameChoice() = default;
  // Names with this text in them; an empty one chooses all.
  explicit NameChoice(std::string text) : text_(std::move(text)) {}
  // Names in which the extended regular expression of POSIX fits somewhere. Errors: usage.
  static base::result<NameChoice> fitting(std::string expression);

  bool is_any() const { return text_.empty(); }
  bool has(std::string_view name) const {
    return pattern_ ? fits(name) : name.find(text_) != name.npos;
  }
  const std::string& text() const { return text_; }
  bool is_pattern() const { return pattern_ != nullptr; }

 private:
  class Pattern;
  bool fits(std::string_view name) const;

  std::string text_;  // or the expression
  std::shared_ptr<const Pattern> pattern_;
};

}  // namespace polytrace::event
