// SPDX-License-Identifier: Apache-2.0
#include "cli/record/start_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/common/options/options.hpp"
#include "service/selection/times.hpp"

namespace polytrace::cli {
namespace {

using agent::control::Body;
using agent::control::Field;

bool add_events(Body& body, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(",+"), list.size());
    if (end != 0) body.text(Field::event, list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return true;
}

bool add_duration(Body& body, std::string_view text) {
  constexpr base::Duration kMillisecond = 1'000'000;
  const auto length = service::parse_shift(text);
  if (!length || *length < kMillisecond) return false;
  body.number(Field::duration, static_cast<std::uint64_t>(*length / kMillisecond));
  return true;
}

bool add_limit(Body& body, std::string_view text) {
  std::uint64_t bytes = 0;
  if (!agent::parse_size(text, bytes) || bytes == 0) return false;
  body.number(Field::limit, bytes);
  return true;
}

bool add_session(Body& body, std::string_view name) {
  body.text(Field::session, name);
  return !name.empty();
}

struct StartWord {
  std::string_view name;
  std::string_view example;
  bool (*add)(Body& body, std::string_view value);
};
constexpr std::array kWords = {
    StartWord{"events", "calls,gc", add_events}, StartWord{"duration", "10s", add_duration},
    StartWord{"limit", "100m", add_limit}, StartWord{"session", "name", add_session}};

}  // namespace

std::string add_start(Body& body, std::span<const std::string> words) {
  for (const std::string_view word : words) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto known = std::ranges::find(kWords, word.substr(0, equals), &StartWord::name);
    if (known == kWords.end() || equals == word.size())
      return fmt::format("start takes events=, duration=, limit=, session=; not \"{}\"", word);
    if (!known->add(body, word.substr(equals + 1)))
      return fmt::format("\"{}\" says no {}; one is {}={}", word, known->name, known->name,
                         known->example);
  }
  return {};
}

}  // namespace polytrace::cli
