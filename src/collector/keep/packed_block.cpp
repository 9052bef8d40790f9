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

bool compress(base::Bytes bytes, base::Appender& out) {
  const Compressing context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (!context) return false;
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  const std::size_t before = out.size(), room = ZSTD_compressBound(bytes.size());
  const std::size_t size =
      ZSTD_compress2(context.get(), out.extend(room), room, bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0) return false;
  out.shrink(before + size);
  return true;
}

struct ZstdFrame {
  base::Bytes packed{};
  std::uint64_t size = 0;  // of what is in it
};

// The one that the bytes begin with, which are cut to what is behind it.
std::optional<ZstdFrame> take_frame(base::Bytes& bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  const std::size_t packed = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ||
      ZSTD_isError(packed) != 0)
    return std::nullopt;
  const ZstdFrame frame{bytes.first(packed), size};
  bytes = bytes.subspan(packed);
  return frame;
}

// Into memory of the size that is told: no window of zstd's own is needed, whatever the bytes say.
bool decompress(const ZstdFrame& frame, base::Appender& out) {
  const std::size_t got =
      ZSTD_decompress(out.extend(frame.size), frame.size, frame.packed.data(), frame.packed.size());
  return got == frame.size;
}

void write_head(const Block& block, base::Appender& out) {
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
}

// Nothing: it is damaged.
std::optional<Block> read_head(base::Cursor& in) {
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
  if (!in.ok()) return std::nullopt;
  return block;
}

}  // namespace

std::vector<std::byte> pack(const Block& block) {
  base::Appender head, out;
  write_head(block, head);
  if (head.size() + block.bytes.size() > kMostPacked) return {};
  if (!compress(head.view(), out)) return {};
  if (!block.packed.empty()) out.bytes(block.packed);
  else if (!compress(block.bytes.view(), out)) return {};
  return {out.view().begin(), out.view().end()};
}

std::optional<std::uint64_t> unpacked_size(base::Bytes bytes) {
  std::uint64_t size = 0;
  for (int frames = 0; frames < 2 && (frames == 0 || !bytes.empty()); ++frames) {
    const auto frame = take_frame(bytes);
    if (!frame || frame->size > UINT64_MAX - size) return std::nullopt;
    size += frame->size;
  }
  return size;
}

std::optional<Block> unpack(base::Bytes bytes, std::size_t most) {
  const auto size = unpacked_size(bytes);
  if (!size || *size > most) return std::nullopt;
  const auto first = take_frame(bytes);
  base::Appender head;
  if (!decompress(*first, head)) return std::nullopt;
  base::Cursor in(head.view(), 0);
  auto block = read_head(in);
  if (!block) return std::nullopt;
  // An earlier version has the rows in the same frame.
  block->bytes.bytes(in.bytes(in.left()));
  if (bytes.empty()) {
    const bool is_cut = block->rows != 0 && block->bytes.size() == 0;
    return is_cut ? std::nullopt : std::move(block);
  }
  const auto rows = take_frame(bytes);
  if (block->bytes.size() != 0 || !bytes.empty() || !decompress(*rows, block->bytes))
    return std::nullopt;
  return block;
}

base::Bytes packed_rows(base::Bytes bytes) { return take_frame(bytes) ? bytes : base::Bytes(); }

std::optional<PackedLook> look_at_packed(base::Bytes first) {
  const auto frame = take_frame(first);
  if (!frame || frame->size > kEnoughForLook) return std::nullopt;
  base::Appender head;
  if (!decompress(*frame, head)) return std::nullopt;
  base::Cursor in(head.view(), 0);
  auto block = read_head(in);
  const unsigned long long rows = ZSTD_getFrameContentSize(first.data(), first.size());
  if (!block || in.left() != 0 || rows == ZSTD_CONTENTSIZE_UNKNOWN ||
      rows == ZSTD_CONTENTSIZE_ERROR)
    return std::nullopt;
  return PackedLook{std::move(*block), rows};
}

}  // namespace polytrace::collector
