// SPDX-License-Identifier: Apache-2.0
#include "event/choice/name_choice.hpp"

#include <fmt/format.h>
#include <regex.h>

#include <array>
#include <utility>

#include "base/codes.hpp"

namespace polytrace::event {

// POSIX's, not std::regex: that one goes as deep as the name is long.
class NameChoice::Pattern {
 public:
  Pattern() = default;
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() {
    if (fault_ == 0) regfree(&compiled_);
  }

  // Empty, or what is wrong with it.
  std::string compile(const std::string& expression) {
    fault_ = regcomp(&compiled_, expression.c_str(), REG_EXTENDED | REG_NOSUB);
    if (fault_ == 0) return {};
    std::array<char, 200> text{};
    regerror(fault_, &compiled_, text.data(), text.size());
    return text.data();
  }
  bool fits(std::string_view name) const {
    regmatch_t range{0, static_cast<regoff_t>(name.size())};
    return regexec(&compiled_, name.data(), 1, &range, REG_STARTEND) == 0;
  }

 private:
  regex_t compiled_{};
  int fault_ = REG_BADPAT;
};

base::result<NameChoice> NameChoice::fitting(std::string expression) {
  NameChoice choice;
  auto pattern = std::make_shared<Pattern>();
  if (const std::string fault = pattern->compile(expression); !fault.empty())
    return base::fail(base::Code::usage,
                      fmt::format("\"{}\" is no regular expression: {}", expression, fault));
  choice.text_ = std::move(expression);
  if (!choice.text_.empty()) choice.pattern_ = std::move(pattern);
  return choice;
}

bool NameChoice::fits(std::string_view name) const { return pattern_->fits(name); }

}  // namespace polytrace::event
