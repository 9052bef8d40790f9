// SPDX-License-Identifier: Apache-2.0
#include "fleet/moments/kept.hpp"

#include <fmt/format.h>

#include "base/frames/fingerprint.hpp"
#include "base/io/source.hpp"
#include "warehouse/ids.hpp"

namespace polytrace::fleet {
namespace {

constexpr std::size_t kMostKeptTrace = std::size_t{512} << 20;  // bytes, unpacked
constexpr std::size_t kReadStep = std::size_t{1} << 20;

base::result<std::vector<std::byte>> unpacked(std::vector<std::byte> bytes) {
  auto source = base::unwrap(base::memory_source(std::move(bytes)));
  if (!source) return base::Unexpected(source.error());
  std::vector<std::byte> all;
  for (;;) {
    const std::size_t size = all.size();
    all.resize(size + kReadStep);
    const auto read = base::read_fully(**source, std::span(all).subspan(size));
    if (!read) return base::Unexpected(read.error());
    all.resize(size + *read);
    if (*read == 0) return all;
    if (all.size() > kMostKeptTrace)
      return base::fail(base::Code::limit_exceeded,
                        fmt::format("more than {} bytes", kMostKeptTrace));
  }
}

}  // namespace

base::result<std::optional<KeptObject>> find_kept(Store& store, const Moment& moment) {
  const auto rows =
      store.rows<std::string, std::uint64_t, std::uint64_t, std::string, std::string>(fmt::format(
          "SELECT place, first_block, last_block, lower(hex(digest)), why FROM {} FINAL WHERE "
          "stream = {} AND first_block <= {} AND last_block >= {} AND match(place, "
          "'^[^:]+/.*ptrace') ORDER BY last_block - first_block DESC, place LIMIT 1",
          store.name_of("traces"), moment.name.stream, moment.name.block, moment.name.block));
  if (!rows) return base::Unexpected(rows.error());
  if (rows->empty()) return std::nullopt;
  auto& [place, first, last, digest, why] = rows->front();
  // Others write the store, too.
  if (!warehouse::is_object_name(place)) return std::nullopt;
  return KeptObject{std::move(place), first, last, std::move(digest), std::move(why)};
}

base::result<Piece> get_kept(const Moment& moment, const KeptObject& kept,
                             warehouse::Objects& objects) {
  auto packed = objects.get(kept.place);
  if (!packed) return base::Unexpected(packed.error());
  auto trace = unpacked(std::move(*packed));
  if (!trace || base::to_hex(warehouse::digest_of(*trace)) != kept.digest)
    return base::fail(base::Code::block_damaged,
                      fmt::format("{}: its bytes are not those that were kept", kept.place));
  auto seen = look_for(moment, *trace);
  if (!seen) return base::Unexpected(seen.error());
  return Piece{std::move(*trace), std::move(*seen), kept.first_block, kept.last_block};
}

base::result<Piece> get_piece(Store& store, const Moment& moment, const Sources& sources) {
  const auto kept = find_kept(store, moment);
  if (!kept) return base::Unexpected(kept.error());
  if (*kept && sources.objects != nullptr) {
    auto piece = get_kept(moment, **kept, *sources.objects);
    if (!sources.blocks || (piece && piece->seen.begins)) return piece;
    auto blocks = get_piece(moment, sources.blocks);
    // What is kept is better than nothing.
    return blocks || !piece ? std::move(blocks) : std::move(piece);
  }
  if (sources.blocks) {
    auto blocks = get_piece(moment, sources.blocks);
    if (!blocks && *kept)
      blocks.error().detail +=
          fmt::format("; it is kept as {}: say where objects are", (*kept)->place);
    return blocks;
  }
  return base::fail(base::Code::usage,
                    *kept ? fmt::format("it is kept as {}: say where objects are", (*kept)->place)
                          : "no rule has kept it: ask the collector that may have it still");
}

}  // namespace polytrace::fleet
