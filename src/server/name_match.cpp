// SPDX-License-Identifier: Apache-2.0
#include "server/name_match.hpp"

#include <algorithm>
#include <array>
#include <boost/regex.hpp>

namespace polytrace::server {
namespace {

constexpr std::size_t kMostName = 4096;
constexpr std::size_t kMostPattern = 4096;
constexpr const char* kTooComplex = "pattern-too-complex";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

NameTest text_test(const NamePattern& pattern) {
  if (pattern.heed_case)
    return [text = pattern.text](std::string_view name) {
      return name.find(text) != std::string_view::npos;
    };
  return [text = lowered(pattern.text)](std::string_view name) {
    return !std::ranges::search(name, text, {}, lower).empty() || text.empty();
  };
}

// It and those below it.
NameTest package_test(const NamePattern& pattern) {
  return [text = pattern.text](std::string_view name) {
    const std::string_view package = service::package_of(name);
    return package == text || (package.starts_with(text) && package.size() > text.size() &&
                               package[text.size()] == '.');
  };
}

thread_local bool too_complex = false;

tl::expected<NameTest, std::string> regex_test(const NamePattern& pattern) {
  if (pattern.text.size() > kMostPattern)
    return tl::unexpected(std::string("the regular expression is longer than 4 KiB"));
  const boost::regex::flag_type flags =
      boost::regex::perl | boost::regex::no_except |
      (pattern.heed_case ? boost::regex::normal : boost::regex::icase);
  try {
    boost::regex regex(pattern.text, flags);
    if (regex.status() != 0)
      return tl::unexpected("the regular expression \"" + pattern.text + "\" is wrong");
    return [regex = std::move(regex)](std::string_view name) {
      if (too_complex) return false;
      try {
        return boost::regex_search(name.begin(), name.end(), regex);
      } catch (const std::exception&) {
        too_complex = true;
        return false;
      }
    };
  } catch (const std::exception&) {
    return tl::unexpected(std::string(kTooComplex));
  }
}

}  // namespace

std::string_view word_of(NamePattern::By by) {
  constexpr std::array<std::string_view, 4> kWords{"text", "regex", "package", "method"};
  return kWords[static_cast<std::size_t>(by)];
}

bool was_too_complex() { return too_complex; }

tl::expected<NameTest, std::string> name_test(const NamePattern& pattern) {
  too_complex = false;
  tl::expected<NameTest, std::string> test;
  if (pattern.by == NamePattern::By::regex) test = regex_test(pattern);
  else test = pattern.by == NamePattern::By::package ? package_test(pattern) : text_test(pattern);
  if (!test) return test;
  return [inner = std::move(*test)](std::string_view name) {
    return inner(name.substr(0, kMostName));
  };
}

tl::expected<std::vector<bool>, std::string> match_methods(const service::IndexedTrace& trace,
                                                           const NamePattern& pattern) {
  std::vector<bool> set(trace.methods());
  if (pattern.by == NamePattern::By::method) {
    if (pattern.method >= set.size()) return tl::unexpected(std::string("there is no such method"));
    set[pattern.method] = true;
    return set;
  }
  const auto test = name_test(pattern);
  if (!test) return tl::unexpected(test.error());
  for (std::uint32_t i = 0; i < set.size(); ++i) set[i] = (*test)(trace.method_name(i));
  if (was_too_complex()) return tl::unexpected(std::string(kTooComplex));
  return set;
}

}  // namespace polytrace::server
