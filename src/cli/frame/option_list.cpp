// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/option_list.hpp"

#include <algorithm>
#include <utility>

namespace polytrace::cli {

Option& Option::takes(std::string_view name) {
  value = name;
  return *this;
}

Option& Option::in(std::string_view heading) {
  group = heading;
  return *this;
}

Option& Option::one_of(std::vector<std::string> words) {
  choices = std::move(words);
  return *this;
}

Option& Option::suggests(std::vector<std::string> words) {
  takes_others = true;
  return one_of(std::move(words));
}

Option& Option::required() {
  is_required = true;
  return *this;
}

Option& Option::at_most(int words) {
  most_words = words;
  return *this;
}

Option& Option::shows_default() {
  if (const auto* word = std::get_if<std::string*>(&target.where)) default_value = **word;
  if (const auto* number = std::get_if<std::uint64_t*>(&target.where))
    default_value = std::to_string(**number);
  return *this;
}

Option& OptionList::add(std::string_view name, OptionTarget target, std::string_view description) {
  Option& option = options_.emplace_back(Option{{}, target, std::string(description)});
  if (!name.starts_with('-')) option.position = option.value = name;
  while (name.starts_with('-')) {
    const std::size_t comma = std::min(name.find(','), name.size());
    option.names.emplace_back(name.substr(0, comma));
    name.remove_prefix(std::min(comma + 1, name.size()));
  }
  return option;
}

}  // namespace polytrace::cli
