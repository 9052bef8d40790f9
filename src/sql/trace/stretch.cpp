// SPDX-License-Identifier: Apache-2.0
#include "sql/trace/stretch.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/codes.hpp"

namespace polytrace::sql {
namespace {

using base::Code;

base::Unexpected no_threads(const Value& value) {
  return base::fail(base::Code::query_wrong,
                    fmt::format("threads are NULL, a utid, or a JSON list of utids: not '{}'",
                                value.text.substr(0, 60)));
}

// A thread that there is not, rather than all of them.
constexpr std::uint32_t kNobody = store::kThreadsWithoutEvents - 1;

std::uint32_t thread_of(std::int64_t number) {
  return number < 0 || number >= kNobody ? kNobody : static_cast<std::uint32_t>(number);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

base::result<void> time_of(const Value& value, base::Time& to) {
  if (value.is_null()) return {};
  if (value.type == Type::integer) return to = value.integer, base::result<void>();
  if (value.type == Type::real && value.real > -9e18 && value.real < 9e18)
    return to = static_cast<base::Time>(value.real), base::result<void>();
  return base::fail(base::Code::query_wrong,
                    "a time is nanoseconds: ns('1.5s') makes them of a text");
}

}  // namespace

std::optional<std::vector<std::int64_t>> numbers_of(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (!rest.starts_with('[') || !rest.ends_with(']')) return {};
  rest = trimmed(rest.substr(1, rest.size() - 2));
  std::vector<std::int64_t> all;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = trimmed(rest.substr(0, comma));
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (fault != std::errc() || end != word.data() + word.size()) return {};
    all.push_back(number);
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  return all;
}

base::result<double> share_of(const Value& value) {
  if (value.is_null()) return 0.0;
  if (value.type == Type::real) return value.real;
  if (value.is_integer()) return static_cast<double>(value.integer);
  return base::fail(Code::query_wrong, "least_share is a number from 0 to 1");
}

base::result<std::vector<std::uint32_t>> threads_of(const Value& value) {
  if (value.is_null()) return std::vector<std::uint32_t>();
  if (value.is_integer()) return std::vector{thread_of(value.integer)};
  const auto numbers = numbers_of(value.text);
  if (value.type != Type::text || !numbers) return no_threads(value);
  std::vector<std::uint32_t> all;
  for (const std::int64_t number : *numbers) all.push_back(thread_of(number));
  if (all.empty()) all.push_back(kNobody);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

base::result<store::Range> stretch_of(const Scan& scan, int t0, int t1, int threads) {
  store::Range range{.stop = scan.stop};
  if (auto done = time_of(scan.parameter(t0), range.from); !done)
    return tl::unexpected(done.error());
  if (auto done = time_of(scan.parameter(t1), range.to); !done) return tl::unexpected(done.error());
  auto told = threads_of(threads < 0 ? Value() : scan.parameter(threads));
  if (!told) return tl::unexpected(told.error());
  range.threads = std::move(*told);
  return range;
}

}  // namespace polytrace::sql
