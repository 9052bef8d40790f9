// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/packed_block.hpp"

#include <zstd.h>

#include <memory>

#include "base/io/cursor.hpp"

namespace polytrace::collector {
namespace {

constexpr int kLevel = 1;

using Compressing = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;

// The table's own name: what blocks point to lives as long as the program.
std::optional<std::string_view> table_of(std::string_view name) {
  std::optional<std::string_view> found;
  const auto look = [&](std::string_view known) {
    if (known == name) found = known;
  };
  std::apply(
      [&](const auto&... rows) {
        (look(std::remove_cvref_t<decltype(rows)>::value_type::kTable), ...);
      },
      Rows().tables);
  look(warehouse::Batch::kTable);
  look(warehouse::CommandDone::kTable);
  return found;
}

std::vector<std::byte> compressed(base::Bytes bytes) {
  const Compressing context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (!context || bytes.size() > kMostPacked) return {};
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::vector<std::byte> out(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
  out.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return out;
}

// Into memory of the size that is told: no window of zstd's own is needed, whatever the bytes say.
std::vector<std::byte> decompressed(base::Bytes bytes, std::size_t most) {
  const auto size = unpacked_size(bytes);
  if (!size || *size > most) return {};
  std::vector<std::byte> out(*size);
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (got != out.size()) out.clear();
  return out;
}

}  // namespace

std::vector<std::byte> pack(const Block& block) {
  base::Appender out;
  out.zero_terminated(block.table);
  out.zero_terminated(block.columns);
  out.fixed(block.day);
  out.fixed(block.rows);
  out.uleb(block.totals.size());
  for (const HourTotal& total : block.totals) {
    out.fixed(total.hour);
    out.fixed(total.rows);
    out.fixed(total.count);
    out.fixed(total.weight);
  }
  out.zero_terminated(block.database);
  out.zero_terminated(block.origin.edge);
  out.fixed(block.origin.number);
  out.fixed(block.origin.sent_before);
  out.bytes(block.bytes.view());
  return compressed(out.view());
}

std::optional<std::uint64_t> unpacked_size(base::Bytes bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return std::nullopt;
  return size;
}

std::optional<Block> unpack(base::Bytes bytes, std::size_t most) {
  const std::vector<std::byte> all = decompressed(bytes, most);
  base::Cursor in(all, 0);
  Block block;
  const auto table = table_of(in.zero_terminated());
  block.columns = in.zero_terminated();
  block.day = in.fixed<std::uint32_t>();
  block.rows = in.fixed<std::uint64_t>();
  const std::uint64_t totals = in.uleb();
  if (!table || !in.fits(totals, sizeof(HourTotal))) return std::nullopt;
  block.table = *table;
  for (std::uint64_t i = 0; i < totals; ++i) {
    HourTotal total;
    total.hour = in.fixed<std::uint32_t>();
    total.rows = in.fixed<std::uint32_t>();
    total.count = in.fixed<std::uint64_t>();
    total.weight = in.fixed<std::uint64_t>();
    block.totals.push_back(total);
  }
  block.database = in.zero_terminated();
  block.origin.edge = in.zero_terminated();
  block.origin.number = in.fixed<std::uint64_t>();
  block.origin.sent_before = in.fixed<std::uint32_t>();
  block.bytes.bytes(in.bytes(in.left()));
  if (!in.ok()) return std::nullopt;
  return block;
}

}  // namespace polytrace::collector
