// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "exports/runners.hpp"

namespace polytrace::exports {
namespace {

using analysis::Profile;
using event::Kind;

// Of the profiles of other weights in one file.
constexpr std::uint64_t kShareOfOthers = 4;

void tell_cuts(const analysis::Pruned& pruned, std::uint64_t limit, std::uint64_t depth,
               Account& account) {
  const std::string what = "places in the tree of stacks, which count for \"(... more)\"";
  account.cut(what, pruned.cut, fmt::format("--limit {}", limit));
  account.cut(what, pruned.deeper, fmt::format("--depth {}", depth));
}

bool may_be_time(const analysis::Weight* weight) {
  return weight == nullptr || (weight->carrier == analysis::Carrier::calls && !weight->is_count);
}

// A limit of the user's is one of places in the tree of stacks. What was selected by name or does
// not count shows in sums only.
bool may_show_calls(const Request& request) {
  const slice::Selection& selected = request.selection;
  return !request.limit && selected.name.is_any() && !selected.subtract_waits &&
         selected.pauses == nullptr && may_be_time(request.weight);
}

// As if helpers were hidden, if they are: their calls are nobody's then.
analysis::Amount total_of(const Profile& profile, bool show_helpers) {
  analysis::Amount total = profile.total();
  if (show_helpers || profile.weight->carrier != analysis::Carrier::calls) return total;
  for (std::uint32_t node = 1; node < profile.nodes.size(); ++node)
    if (profile.frames[profile.nodes[node].frame].is_helper)
      total.count -= std::min(total.count, profile.selfs[node].count);
  return total;
}

}  // namespace

void ProfileRunner::add(const ProfileTarget& target, Output output) {
  const Stacks stacks = stacks_of(target);
  if (Builder& builder = builders_[static_cast<std::size_t>(stacks)]; !builder)
    builder = new_builder(stacks);
  const slice::Selection& selection = pass_.request.selection;
  if (target.beside == Beside::markers && !markers_)
    markers_ = std::make_unique<Markers>(selection);
  if (target.beside == Beside::calls && !calls_ && may_show_calls(pass_.request))
    calls_ = std::make_unique<CallLog>(selection);
  outputs_.push_back({&target, std::move(output)});
}

auto ProfileRunner::new_builder(Stacks stacks) const -> Builder {
  slice::Selection selection = pass_.request.selection;
  analysis::ProfileOptions options{.weight = pass_.request.weight,
                                   .by_thread = stacks != Stacks::merged};
  if (stacks == Stacks::every) {
    selection.show_helpers = true;
    options.every_carrier = true;
  }
  return std::make_unique<analysis::ProfileBuilder>(selection, options);
}

void ProfileRunner::consume(const slice::Slice& slice) {
  for (const Builder& builder : builders_)
    if (builder) builder->consume(slice);
  if (markers_) markers_->consume(slice);
  if (calls_) calls_->consume(slice);
}

base::result<void> ProfileRunner::finish(const slice::Names& names) {
  if (markers_) markers_->finish(names);
  if (calls_) calls_->finish(names);
  if (auto done = finish_every(names); !done) return done;
  if (auto done = finish(Stacks::merged, names); !done) return done;
  return finish(Stacks::by_thread, names);
}

base::result<void> ProfileRunner::finish(Stacks stacks, const slice::Names& names) {
  Builder& builder = builders_[static_cast<std::size_t>(stacks)];
  if (!builder) return {};
  auto profile = builder->finish(names);
  builder.reset();
  if (!profile) return base::Unexpected(profile.error());
  if (before_ && stacks == Stacks::merged)
    profile = analysis::compared(*profile, *before_, exact_names_);
  for (const Writing& writing : outputs_) {
    if (stacks_of(*writing.target) != stacks) continue;
    if (auto done = write(writing, *profile, names); !done) return done;
  }
  return {};
}

base::result<void> ProfileRunner::finish_every(const slice::Names& names) {
  Builder& builder = builders_[static_cast<std::size_t>(Stacks::every)];
  if (!builder) return {};
  auto profiles = builder->finish_all(names);
  builder.reset();
  if (!profiles) return base::Unexpected(profiles.error());
  for (const Writing& writing : outputs_) {
    if (stacks_of(*writing.target) != Stacks::every) continue;
    const auto others = others_of(*writing.target, std::span(*profiles).subspan(1));
    if (auto done = write(writing, profiles->front(), names, others); !done) return done;
  }
  return {};
}

// Together they have a share of the bytes.
std::vector<analysis::Pruned> ProfileRunner::others_of(const ProfileTarget& target,
                                                       std::span<const Profile> others) const {
  std::vector<analysis::Pruned> out;
  for (const Profile& other : others) {
    std::uint64_t limit = pass_.request.limit.value_or(target.limit);
    out.push_back(pruned(target, other, target.most_bytes / kShareOfOthers / others.size(), limit));
  }
  return out;
}

analysis::Pruned ProfileRunner::pruned(const ProfileTarget& target, const Profile& whole,
                                       std::uint64_t most_bytes, std::uint64_t& limit) const {
  const Request& request = pass_.request;
  analysis::Pruned pruned = analysis::prune(whole, limit, request.depth);
  const auto is_too_large = [&] {
    return target.bytes != nullptr && target.bytes(pruned) > most_bytes;
  };
  while (!request.limit && is_too_large() && limit > 100) {
    limit = limit * 3 / 4;
    pruned = analysis::prune(whole, limit, request.depth);
  }
  return pruned;
}

base::result<void> ProfileRunner::write(const Writing& writing, const Profile& whole,
                                        const slice::Names& names,
                                        std::span<const analysis::Pruned> others) {
  const ProfileTarget& target = *writing.target;
  const Request& request = pass_.request;
  std::uint64_t limit = request.limit.value_or(target.limit);
  const std::uint64_t most =
      others.empty() ? target.most_bytes : target.most_bytes - target.most_bytes / kShareOfOthers;
  const analysis::Pruned pruned = this->pruned(target, whole, most, limit);
  Result& result = pass_.results[writing.output.number];
  Account& account = result.account;
  pass_.leave_out_all_but(analysis::kinds_of(whole.weight->carrier), account);
  for (const analysis::Pruned& other : others)
    for (const Kind kind : analysis::kinds_of(other.profile.weight->carrier))
      account.left_out[static_cast<std::size_t>(kind)] = 0;
  tell_cuts(pruned, limit, request.depth, account);
  account.notes = whole.notes;
  account.limits = whole.limits;
  account.tell_short_names(names.shortened());
  const Markers* const markers = target.beside == Beside::markers ? markers_.get() : nullptr;
  if (markers != nullptr) markers->tell(account);
  const bool in_order = target.beside == Beside::calls && calls_ && may_be_time(whole.weight);
  const CallLog::Verdict verdict = in_order ? calls_->verdict(request.depth) : CallLog::Verdict{};
  if (!verdict.why.empty()) account.notes.push_back(verdict.why);
  result.weight = whole.weight;
  result.total = total_of(whole, request.selection.show_helpers);
  result.frames = pruned.profile.frames.size();
  for (std::uint32_t node = 1; node < pruned.profile.nodes.size(); ++node)
    if (pruned.profile.self(node) != 0) ++result.stacks;
  pass_.current = writing.output.number;
  return target.write({pruned, pass_.origin, account, *writing.output.sink, markers,
                       verdict.whole ? calls_.get() : nullptr, others,
                       request.selection.show_helpers});
}

}  // namespace polytrace::exports
