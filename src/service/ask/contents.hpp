// SPDX-License-Identifier: Apache-2.0
// What a trace is and holds (`info`), and whether it is whole (`check`).
#pragma once

#include <optional>
#include <string>

#include "service/input/overview.hpp"
#include "service/input/pass.hpp"

namespace polytrace::service {

struct Contents {
  Reading reading{};
  Overview overview{};
  std::optional<std::uint64_t> size{};  // of the file, in bytes; a stream has none
};
Asked<Contents> ask_contents(const Input& input);

// Deviations that cost nothing, and a recording that was cut off.
bool has_warnings(const Contents& contents);
// Nothing is missing; if `strict`, there are no warnings either.
enum class Strictness : std::uint8_t { lenient, strict };
bool is_whole(const Contents& contents, Strictness strictness);
// In a word or two.
std::string_view verdict(const Contents& contents);

// {"schema": "polytrace.info/1", ...}
std::string info_json(const Contents& contents);
// {"schema": "polytrace.check/1", ...}
std::string check_json(const Contents& contents, Strictness strictness);

}  // namespace polytrace::service
