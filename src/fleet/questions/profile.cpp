// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/codes.hpp"
#include "fleet/profile_of_rows.hpp"
#include "fleet/questions.hpp"
#include "fleet/scope.hpp"

namespace polytrace::fleet {
namespace {

constexpr std::size_t kMostStacks = 200'000;
constexpr std::int64_t kSecondInNs = 1'000'000'000;

}  // namespace

base::result<ProfileAnswer> ask_profile(Store& store, const Question& question,
                                        const analysis::Weight& weight) {
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  const auto source = scope->rows_of(
      kProfileTiers, "stack, count, weight",
      {.where = fmt::format(" AND carrier = {}", static_cast<unsigned>(weight.carrier))});
  if (!source) return base::Unexpected(source.error());
  const std::string& from = *source;
  const auto sums = store.row<std::uint64_t, std::uint64_t, std::uint64_t>(
      "SELECT count(), sum(count), sum(weight) " + from);
  if (!sums) return base::Unexpected(sums.error());
  auto [rows, more_count, more_weight] = *sums;
  const auto stacks = store.rows<warehouse::Id128, std::uint64_t, std::uint64_t>(fmt::format(
      "SELECT stack, sum(count) AS c, sum(weight) AS w {} GROUP BY stack ORDER BY {} DESC LIMIT {}",
      from, weight.is_count ? "c" : "w", kMostStacks));
  if (!stacks) return base::Unexpected(stacks.error());
  std::vector<StackRow> kept;
  std::vector<warehouse::Id128> ids;
  for (const auto& [stack, count, much] : *stacks) {
    kept.push_back({stack, count, much});
    ids.push_back(stack);
    // Rows may have come between the two questions.
    more_count -= std::min(more_count, count);
    more_weight -= std::min(more_weight, much);
  }
  if (kept.size() < kMostStacks) more_count = more_weight = 0;
  Frames frames(store);
  if (auto loaded = frames.load_stacks(ids); !loaded) return base::Unexpected(loaded.error());
  Account& account = scope->account();
  account.rows = rows;
  ProfileAnswer answer{std::move(account),
                       profile_of_rows(kept, frames, weight, more_count, more_weight)};
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
