// SPDX-License-Identifier: Apache-2.0
#include "service/trace/tiles.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "service/trace/binary.hpp"

namespace polytrace::service {
namespace {

constexpr std::uint32_t kMagic = 0x31545450;  // "PTT1"
constexpr std::size_t kTileBytes = 32;

struct TileRow {
  std::uint32_t track;
  std::uint32_t band;
  double index;
  std::uint32_t first_item;
  std::uint32_t items;
  std::uint32_t deepest;
  std::uint32_t flags;  // 1: rows below the asked bands
};
static_assert(sizeof(TileRow) == kTileBytes);

enum ItemFlag : std::uint8_t { kBeganBefore = 1, kEndsBehind = 2, kHasNoEnd = 4, kIsMerged = 8 };

// The columns of an answer.
struct Columns {
  std::vector<double> starts, ends, busys, longests;
  std::vector<std::uint32_t> counts, names, rows;
  std::vector<std::uint8_t> flags;
};

struct Scene {
  const IndexedTrace& trace;
  const Tracks& tracks;
  const std::atomic<bool>* stop;
  unsigned level;
  std::int64_t base;
};

std::int64_t floor_of(std::int64_t offset, unsigned bits) { return offset >> bits; }

constexpr unsigned kTileBits = 9;  // of kTileBuckets

// A call that ends where its thread does: whether nobody ended it. Of one that goes on behind the
// tile, another tile tells.
bool has_no_end(const Scene& scene, const store::ZoomItem& item, const Track& track) {
  if (track.family != store::Family::calls || !item.is_wide || item.ends_behind ||
      scene.trace.offset(item.end) != track.last)
    return false;
  const auto call = scene.trace.store().call(item.call);
  return call && call->how == store::EndKind::end_of_trace;
}

class TileMaker {
 public:
  TileMaker(const Scene& scene, std::uint32_t budget) : scene_(scene), budget_(budget) {}

  // False: beyond the budget.
  base::result<bool> add(const TilesQuestion::Wanted& wanted, std::int64_t index) {
    const Track& track = scene_.tracks.all[wanted.track];
    std::vector<store::ZoomItem> items;
    std::uint32_t deepest = 0;
    std::vector<std::uint32_t> bands = wanted.bands;
    std::ranges::sort(bands);
    bands.erase(std::ranges::unique(bands).begin(), bands.end());
    const store::Zoom asked{.thread = track.thread.value_or(0),
                            .level = scene_.level,
                            .first_bucket = index * kTileBuckets,
                            .end_bucket = (index + 1) * kTileBuckets,
                            .stop = scene_.stop,
                            .family = track.family};
    const auto seen = scene_.trace.store().zoom(asked, [&](const store::ZoomItem& item) {
      deepest = std::max(deepest, item.row);
      if (bands.empty() || std::ranges::binary_search(bands, item.row / kTileRows))
        items.push_back(item);
    });
    if (!seen) return base::Unexpected(seen.error());
    for (std::uint32_t band = 0; wanted.bands.empty() && band <= deepest / kTileRows; ++band)
      bands.push_back(band);
    add_bands({wanted.track, bands}, index, items, deepest, track);
    return columns_.starts.size() <= budget_;
  }
  std::size_t tiles() const { return rows_.size(); }
  std::string take() const;

 private:
  // Of bands in order, each once.
  void add_bands(const TilesQuestion::Wanted& wanted, std::int64_t index,
                 std::span<const store::ZoomItem> items, std::uint32_t deepest,
                 const Track& track) {
    for (const std::uint32_t band : wanted.bands) {
      const auto first = static_cast<std::uint32_t>(columns_.starts.size());
      // Items come by row.
      while (!items.empty() && items.front().row / kTileRows == band) {
        add_item(items.front(), track);
        items = items.subspan(1);
      }
      const auto count = static_cast<std::uint32_t>(columns_.starts.size()) - first;
      rows_.push_back({wanted.track, band, static_cast<double>(index), first, count, deepest,
                       deepest / kTileRows > wanted.bands.back() ? 1U : 0U});
    }
  }
  void add_item(const store::ZoomItem& item, const Track& track) {
    const auto from_base = [&](base::Time time) {
      return static_cast<double>(scene_.trace.offset(time) - scene_.base);
    };
    columns_.starts.push_back(from_base(item.start));
    columns_.ends.push_back(from_base(item.end));
    columns_.busys.push_back(static_cast<double>(item.busy));
    columns_.longests.push_back(static_cast<double>(item.longest));
    columns_.counts.push_back(static_cast<std::uint32_t>(
        std::min<std::uint64_t>(item.count, std::numeric_limits<std::uint32_t>::max())));
    const bool is_call = track.family == store::Family::calls;
    columns_.names.push_back(is_call ? scene_.trace.store().paths().method(item.path) : item.path);
    columns_.rows.push_back(item.row);
    unsigned flags = item.begins_before ? kBeganBefore : 0;
    if (item.ends_behind) flags |= kEndsBehind;
    if (has_no_end(scene_, item, track)) flags |= kHasNoEnd;
    if (item.count > 1) flags |= kIsMerged;
    columns_.flags.push_back(static_cast<std::uint8_t>(flags));
  }

  const Scene& scene_;
  std::uint32_t budget_;
  std::vector<TileRow> rows_;
  Columns columns_;
};

std::int64_t end_of(const Tracks& tracks) {
  std::int64_t end = 0;
  for (const ThreadFacts& thread : tracks.threads) end = std::max(end, thread.last.value_or(0));
  return end + 1;
}

std::string TileMaker::take() const {
  std::string out(kAnswerHead, '\0');
  put_column(out, rows_);
  const auto columns = static_cast<std::uint32_t>(out.size());
  put_column(out, columns_.starts);
  put_column(out, columns_.ends);
  put_column(out, columns_.busys);
  put_column(out, columns_.longests);
  put_column(out, columns_.counts);
  put_column(out, columns_.names);
  put_column(out, columns_.rows);
  put_column(out, columns_.flags);
  put(out, 0, kMagic);
  put(out, 4, std::uint16_t{1});
  put(out, 8, scene_.base);
  put(out, 16, std::uint32_t{scene_.level});
  put(out, 20, static_cast<std::uint32_t>(rows_.size()));
  put(out, 24, static_cast<std::uint32_t>(columns_.starts.size()));
  put(out, 28, std::uint32_t{1});
  put(out, 32, end_of(scene_.tracks));
  put(out, 40, static_cast<std::uint32_t>(kAnswerHead));
  put(out, 44, columns);
  put(out, 48, static_cast<std::uint32_t>(out.size()));
  return out;
}

base::Unexpected no_track(std::uint32_t track) {
  return base::fail(base::Code::usage, "there is no track of items " + std::to_string(track));
}

bool has_items(const Tracks& tracks, std::uint32_t track) {
  return track < tracks.all.size() && !tracks.all[track].series;
}

// Empty: beyond the budget.
base::result<std::string> tiles_at(const Scene& scene, const TilesQuestion& question,
                                   std::int64_t first, std::int64_t end) {
  TileMaker maker(scene, question.budget);
  for (const TilesQuestion::Wanted& wanted : question.tracks)
    for (std::int64_t index = first; index < end; ++index) {
      const auto added = maker.add(wanted, index);
      if (!added) return base::Unexpected(added.error());
      if (!*added) return std::string();
      if (maker.tiles() > kMostTiles)
        return base::fail(base::Code::limit_exceeded, "more than 100,000 tiles");
    }
  return maker.take();
}

}  // namespace

base::result<std::string> tiles(const IndexedTrace& trace, const Tracks& tracks,
                                const TilesQuestion& question) {
  for (const auto& wanted : question.tracks)
    if (!has_items(tracks, wanted.track)) return no_track(wanted.track);
  for (unsigned level = level_of(question.from, question.to, question.width);
       level <= store::kMostLevel - kTileBits; ++level) {
    const std::int64_t first = floor_of(question.from, level + kTileBits);
    const std::int64_t end = floor_of(question.to - 1, level + kTileBits) + 1;
    const Scene scene{trace, tracks, question.stop, level, first * (kTileBuckets << level)};
    auto made = tiles_at(scene, question, first, end);
    if (!made || !made->empty()) return made;
  }
  return base::fail(base::Code::limit_exceeded, "more items than the budget at any level");
}

base::result<std::string> tile(const IndexedTrace& trace, const Tracks& tracks,
                               const TileAddress& address, const std::atomic<bool>* stop) {
  if (!has_items(tracks, address.track)) return no_track(address.track);
  std::int64_t base = 0, end = 0;
  if (address.level > store::kMostLevel - kTileBits ||
      __builtin_mul_overflow(address.index, kTileBuckets << address.level, &base) ||
      __builtin_add_overflow(base, kTileBuckets << address.level, &end))
    return base::fail(base::Code::usage, "there is no such tile");
  const Scene scene{trace, tracks, stop, address.level, base};
  TileMaker maker(scene, std::numeric_limits<std::uint32_t>::max());
  if (auto added = maker.add({address.track, {address.band}}, address.index); !added)
    return base::Unexpected(added.error());
  return maker.take();
}

}  // namespace polytrace::service
