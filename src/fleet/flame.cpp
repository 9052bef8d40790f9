// SPDX-License-Identifier: Apache-2.0
#include "fleet/flame.hpp"

#include <fmt/format.h>

#include "base/io/sink.hpp"
#include "service/convert/conversion_target.hpp"

namespace polytrace::fleet {
namespace {

constexpr std::uint64_t kLeastPlaces = 100;

analysis::Pruned cut(const analysis::Profile& whole, const FlameOrder& order,
                     std::uint64_t& limit) {
  const exports::ProfileTarget& target = *order.target->profile();
  analysis::Pruned pruned = analysis::prune(whole, limit, order.depth);
  while (!order.limit && target.bytes != nullptr && target.bytes(pruned) > target.most_bytes &&
         limit > kLeastPlaces) {
    limit = limit * 3 / 4;
    pruned = analysis::prune(whole, limit, order.depth);
  }
  return pruned;
}

base::result<std::unique_ptr<base::Sink>> sink_of(const FlameOrder& order) {
  service::TargetOptions options;
  options.output = order.file;
  options.force = order.force;
  auto sink = service::open_target(options, {});
  const bool packs = order.target->is_packed() && !order.file.ends_with(".gz");
  if (sink && packs) sink = base::gzip_sink(std::move(*sink));
  return sink;
}

}  // namespace

base::result<exports::Result> write_profile(analysis::Profile profile, const std::string& title,
                                            const FlameOrder& order) {
  auto sink = sink_of(order);
  if (!sink) return base::Unexpected(sink.error());
  const exports::ProfileTarget& target = *order.target->profile();
  std::uint64_t limit = order.limit.value_or(target.limit);
  exports::Result result;
  result.target = order.target;
  result.weight = profile.weight;
  result.total = profile.total();
  result.account.notes = profile.notes;
  const analysis::Pruned pruned = cut(profile, order, limit);
  const std::string what = "places in the tree of stacks, which count for \"(... more)\"";
  result.account.cut(what, pruned.cut, fmt::format("--limit {}", limit));
  result.account.cut(what, pruned.deeper, fmt::format("--depth {}", order.depth));
  result.frames = pruned.profile.frames.size();
  for (std::uint32_t node = 1; node < pruned.profile.nodes.size(); ++node)
    if (pruned.profile.self(node) != 0) ++result.stacks;
  exports::Origin origin;
  origin.trace = title;
  origin.wall = origin.wall_at = pruned.profile.first;
  if (auto done = target.write({pruned, origin, result.account, **sink}); !done)
    return base::Unexpected(done.error());
  if (auto done = (*sink)->commit(); !done) return base::Unexpected(done.error());
  return result;
}

}  // namespace polytrace::fleet
