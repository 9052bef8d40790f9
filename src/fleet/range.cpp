// SPDX-License-Identifier: Apache-2.0
#include "fleet/range.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/wall_time.hpp"
#include "service/selection/times.hpp"

namespace polytrace::fleet {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

base::Unexpected wrong(const std::string& text, std::string_view hint) {
  return base::fail(base::Code::usage, fmt::format("\"{}\": {}", text, hint));
}

base::result<std::uint32_t> parse_moment(const std::string& text) {
  std::uint32_t seconds = 0;
  const char* const end = text.data() + text.size();
  if (const auto [stop, fault] = std::from_chars(text.data(), end, seconds);
      fault == std::errc() && stop == end)
    return seconds;
  const std::optional<std::int64_t> wall = base::parse_wall_time(text);
  if (!wall || *wall < 0 || *wall / kSecond > UINT32_MAX)
    return wrong(text, "is no time: try 2026-11-21T10:00:00Z");
  return static_cast<std::uint32_t>(*wall / kSecond);
}

}  // namespace

base::result<std::uint32_t> parse_span(const std::string& text) {
  const auto length = service::parse_shift(text);
  if (length && *length >= kSecond && *length / kSecond <= UINT32_MAX)
    return static_cast<std::uint32_t>(*length / kSecond);
  return wrong(text, "is no length of time: try 30min, 1h or 7d");
}

base::result<Range> parse_range(const RangeWords& words, std::uint32_t now) {
  if (!words.last.empty() && !words.from.empty())
    return base::fail(base::Code::usage, "--last and --from exclude each other");
  Range range{0, now};
  if (!words.to.empty()) {
    const auto to = parse_moment(words.to);
    if (!to) return base::Unexpected(to.error());
    range.to = *to;
  }
  const auto from = words.from.empty()
                        ? parse_span(words.last.empty() ? "1h" : words.last).map([&](auto length) {
                            return range.to > length ? range.to - length : 0;
                          })
                        : parse_moment(words.from);
  if (!from) return base::Unexpected(from.error());
  range.from = *from;
  if (range.from >= range.to)
    return base::fail(base::Code::usage, fmt::format("{} is not before {}", time_text(range.from),
                                                     time_text(range.to)));
  return range;
}

std::string time_text(std::uint32_t seconds) {
  std::string text = base::wall_text(seconds * kSecond);
  if (const auto at = text.find(".000Z"); at != std::string::npos) text.erase(at, 4);
  return text;
}

}  // namespace polytrace::fleet
