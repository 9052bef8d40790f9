// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/layout/state.hpp"

#include "format/monoblock/layout/hits.hpp"
#include "format/monoblock/layout/mapping.hpp"

namespace polytrace::format::monoblock {
namespace {

void skip_clock(base::Cursor& in) {
  number(in);
  number(in);
}

LayeredMap::Layer sizes_of(base::Cursor in, const FileHead& file, const State& state) {
  LayeredMap::Layer sizes;
  skip_clock(in);
  number(in);  // thread
  for (;;) {
    const MappedClass entry = read_mapped_class(in, file, state);
    if (!in.ok() || entry.id == 0) return sizes;
    sizes.emplace_back(entry.id, entry.fixed_size);
  }
}

void learn_regions(base::Cursor& in, LayeredMap::Layer& starts) {
  for (;;) {
    const std::uint64_t removed = number(in);
    if (!in.ok() || removed == 0) break;
    starts.emplace_back(removed, State::kRemoved);
  }
  for (;;) {
    const HitRegion region = read_hit_region(in);
    if (!in.ok() || region.id == 0) break;
    starts.emplace_back(region.id, region.start);
  }
}

LayeredMap::Layer regions_of(base::Cursor in) {
  LayeredMap::Layer starts;
  skip_clock(in);
  while (in.ok() && !in.done()) {
    const HitKind kind = read_hit_item(in).kind;
    if (kind == HitKind::end || kind == HitKind{6}) break;
    if (kind == HitKind::regions) learn_regions(in, starts);
  }
  return starts;
}

}  // namespace

void State::learn(const FileHead& file, BlockCode code, base::Bytes payload) {
  base::Cursor in(payload, 0);
  if (code == BlockCode::mapping && !file.shipped()) add_fixed_sizes(sizes_of(in, file, *this));
  if (code == BlockCode::statistical) add_regions(regions_of(in));
  if (code != BlockCode::directives) return;
  skip_clock(in);
  while (const std::uint64_t directive = number(in)) set(directive);
}

}  // namespace polytrace::format::monoblock
