// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "fleet/profile_of_rows.hpp"
#include "fleet/questions.hpp"
#include "fleet/scope.hpp"

namespace polytrace::fleet {
namespace {

constexpr std::size_t kMostStacks = 200'000;
constexpr std::int64_t kSecondInNs = 1'000'000'000;

struct RowSums {
  std::uint64_t rows = 0, count = 0, weight = 0;
};

// What `kept` leaves of all that the source has.
base::result<RowSums> rest_of(Store& store, const std::string& source, const RowSums& kept) {
  const auto sums = store.row<std::uint64_t, std::uint64_t, std::uint64_t>(
      "SELECT count(), sum(count), sum(weight) " + source);
  if (!sums) return base::Unexpected(sums.error());
  const auto [rows, count, weight] = *sums;
  // Rows may have come between the two questions, or gone.
  return RowSums{rows - std::min(rows, kept.rows), count - std::min(count, kept.count),
                 weight - std::min(weight, kept.weight)};
}

}  // namespace

base::result<ProfileAnswer> ask_profile(Store& store, const Question& question,
                                        const analysis::Weight& weight) {
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  const auto source = scope->rows_of(
      kProfileTiers, "stack, count, weight",
      {.where = fmt::format(" AND carrier = {}", static_cast<unsigned>(weight.carrier))});
  if (!source) return base::Unexpected(source.error());
  const auto stacks =
      store.rows<warehouse::Id128, std::uint64_t, std::uint64_t, std::uint64_t>(fmt::format(
          "SELECT stack, count(), sum(count) AS c, sum(weight) AS w {} GROUP BY stack ORDER BY {} "
          "DESC LIMIT {}",
          *source, weight.is_count ? "c" : "w", kMostStacks));
  if (!stacks) return base::Unexpected(stacks.error());
  Account& account = scope->account();
  std::vector<StackRow> kept;
  std::vector<warehouse::Id128> ids;
  RowSums all;
  for (const auto& [stack, rows, count, much] : *stacks) {
    kept.push_back({stack, count, much});
    ids.push_back(stack);
    all.rows += rows, all.count += count, all.weight += much;
  }
  RowSums more;
  if (kept.size() == kMostStacks) {
    const auto rest = rest_of(store, *source, all);
    if (!rest) return base::Unexpected(rest.error());
    more = *rest;
  }
  account.rows = all.rows + more.rows;
  Frames frames(store);
  if (auto loaded = frames.load_stacks(ids); !loaded) return base::Unexpected(loaded.error());
  ProfileAnswer answer{std::move(account),
                       profile_of_rows(kept, frames, weight, more.count, more.weight)};
  answer.profile.first = question.range.from * kSecondInNs;
  answer.profile.last = question.range.to * kSecondInNs;
  answer.account.notes.insert(answer.account.notes.end(), answer.profile.notes.begin(),
                              answer.profile.notes.end());
  if (answer.profile.nodes.size() > 1) return answer;
  return base::fail(base::Code::usage,
                    fmt::format("no {} in this range for these series", weight.key));
}

base::result<ProfileAnswer> ask_compared(Store& store, const Question& before,
                                         const Question& after, const analysis::Weight& weight) {
  auto now = ask_profile(store, after, weight);
  if (!now) return now;
  const auto was = ask_profile(store, before, weight);
  if (!was) return was;
  now->profile = analysis::compared(now->profile, was->profile, false);
  const Account& other = was->account;
  now->account.notes.push_back(
      fmt::format("compared with {}{} to {}: {} process-seconds there, {} here",
                  other.where.empty() ? "" : other.where + ", ", time_text(other.range.from),
                  time_text(other.range.to), other.process_seconds, now->account.process_seconds));
  return now;
}

}  // namespace polytrace::fleet
