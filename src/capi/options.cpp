// SPDX-License-Identifier: Apache-2.0
#include "capi/options.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <vector>

#include "base/codes.hpp"
#include "service/words/words.hpp"

namespace polytrace::capi {
namespace {

using simdjson::SUCCESS;
using simdjson::dom::element;

base::Unexpected wrong_option(std::string what) {
  return base::fail(base::Code::usage, std::move(what));
}

base::result<void> unknown_option(std::string_view name, std::span<const Option> options) {
  std::vector<std::string> names;
  for (const Option& option : options) names.emplace_back(option.name);
  return wrong_option(fmt::format("no option \"{}\"{}", name, service::did_you_mean(name, names)));
}

struct Take {
  element value;

  bool operator()(std::string* place) const {
    std::string_view text;
    std::int64_t number = 0;
    if (value.get(text) == SUCCESS) *place = text;
    else if (value.get(number) == SUCCESS) *place = fmt::format("{}", number);
    else return false;
    return true;
  }
  bool operator()(bool* place) const { return value.get(*place) == SUCCESS; }
  bool operator()(std::uint64_t* place) const { return value.get(*place) == SUCCESS; }
};

std::string_view wanted(const Option& option) {
  constexpr std::string_view kWanted[]{"a text", "true or false", "a count"};
  return kWanted[option.place.index()];
}

}  // namespace

base::result<void> read_options(const char* json, std::span<const Option> options) {
  if (json == nullptr || *json == '\0') return {};
  simdjson::dom::parser parser;
  simdjson::dom::object members;
  if (parser.parse(std::string_view(json)).get(members) != SUCCESS)
    return wrong_option("options are one JSON object");
  for (const auto& [name, value] : members) {
    const auto option = std::ranges::find(options, name, &Option::name);
    if (option == options.end()) return unknown_option(name, options);
    if (!value.is_null() && !std::visit(Take{value}, option->place))
      return wrong_option(fmt::format("option \"{}\" is {}", name, wanted(*option)));
  }
  return {};
}

}  // namespace polytrace::capi
