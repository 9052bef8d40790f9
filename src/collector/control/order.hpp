// SPDX-License-Identifier: Apache-2.0
// What somebody wants of programs: read from JSON, which is all that comes from outside, and
// written for an edge, which reads it in the same way. No order has a path. Pure; thread-safe.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/text/json_writer.hpp"
#include "collector/config/verbs.hpp"
#include "service/json/body.hpp"
#include "warehouse/ids.hpp"
#include "warehouse/where/where.hpp"

namespace polytrace::collector {

// What one program is to do.
struct Order {
  Verb verb{};
  std::vector<std::string> events{};      // start, level; empty: those of before
  std::vector<std::string> filters{};     // start, level, filters: the whole new list
  std::chrono::milliseconds duration{0};  // start, level: always; 0: no such order
  std::uint64_t limit_bytes = 0;          // start, level; 0: the agent's own
  std::string text{};                     // annotate
};

// Which programs, how many of them, how fast.
struct Selection {
  std::string where{};
  std::uint64_t limit = 1;                 // programs
  double rate = 1;                         // a second
  std::uint64_t canary = 1;                // so many first, alone; 0: none
  std::chrono::milliseconds wait{60'000};  // behind these
};
inline constexpr std::uint64_t kMostCommanded = 1000;
inline constexpr std::chrono::seconds kLongestCampaign{3600};

struct Wish {
  Order order{};
  Selection selection{};
};

std::optional<Verb> find_verb(std::string_view word);
// {"where": ..., "limit": ..., and what the verb takes}. Errors: usage, with the member;
// where_wrong.
base::result<Wish> parse_wish(Verb verb, const std::string& json);
// Of the object's members, those of an order; what is wrong is complained of there.
Order read_order(Verb verb, service::JsonMembers& members);
// Members of the object that is open.
void write_order(base::JsonWriter& json, const Order& order);
// "level events=gc+monitors duration=60s": for the store and the log.
std::string to_text(const Order& order);

// Whether a program's labels are such. =~ and !~ are POSIX's extended expressions here.
bool matches(const warehouse::Where& where, const warehouse::Labels& labels);
// Reads a condition, with what is asked of expressions: at most 200 bytes, no repetition in braces,
// nothing that refers back. Errors: where_wrong.
base::result<warehouse::Where> parse_condition(std::string_view text);

}  // namespace polytrace::collector
