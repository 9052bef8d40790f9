// SPDX-License-Identifier: Apache-2.0
// Texts and patterns to sets of methods. Pure; thread-safe.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "service/trace/indexed_trace.hpp"

namespace polytrace::server {

struct NamePattern {
  enum class By : std::uint8_t { text, regex, package, method };
  By by = By::text;
  std::string text{};        // a part of the name, or a regular expression, or a package
  std::uint32_t method = 0;  // index
  bool heed_case = false;    // letter case counts
};
// "text", "regex", "package", "method"
std::string_view word_of(NamePattern::By by);

// A test of names, of which the first 4 KiB are looked at. The error is a sentence: what is wrong
// with a regular expression.
using NameTest = std::function<bool(std::string_view name)>;
tl::expected<NameTest, std::string> name_test(const NamePattern& pattern);
// Whether an expression turned out to take too long: what the test said is not to be used. Of this
// thread's last test.
bool was_too_complex();

// By index, whether a method fits.
tl::expected<std::vector<bool>, std::string> match_methods(const service::IndexedTrace& trace,
                                                           const NamePattern& pattern);

}  // namespace polytrace::server
