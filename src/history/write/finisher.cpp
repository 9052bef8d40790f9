// SPDX-License-Identifier: Apache-2.0
#include "history/write/finisher.hpp"

#include "base/codes.hpp"
#include "history/read/run_view.hpp"
#include "history/read/segment_view.hpp"
#include "history/write/tables_writer.hpp"

namespace polytrace::history {
namespace {

using base::result;

// Where a timeline changes in the segment, that is its next change for the segment before.
result<void> note_first_changes(const base::FrameFile& file, const KeyList& keys,
                                const SegmentPlace& place, std::vector<std::byte>& room,
                                std::vector<Tick>& next) {
  room.resize(place.length + base::kReadable);
  const auto payload = std::span(room).first(place.length);
  if (auto read = file.read(place.offset + base::kFrameHeadSize, payload); !read) return read;
  SegmentView view;
  RunView run;
  BlockView block;
  bool good = view.open(payload);
  std::size_t hint = 0;
  for (const std::uint32_t index : keys.in_order()) {
    const KeyInfo& info = keys[index];
    const std::uint32_t offset = good ? view.run_of(info.key, hint) : 0;
    if (good && offset == 0) continue;
    good = good && view.open_run(offset, info.code, run) && run.open_block(0, block);
    if (!good) return base::fail(base::Code::value_unexpected, {}, {.offset = place.offset});
    next[index] = block.first_time();
  }
  return {};
}

result<void> write_exits(base::FrameFile& file, const KeyList& keys, Footer& footer) {
  std::vector<Tick> next(keys.size(), base::tick_after(footer.header.end, 1));
  std::vector<std::byte> room;
  base::Appender table;
  for (std::size_t i = footer.segments.size(); i-- > 0;) {
    table.clear();
    put_exit_table(table, keys, next);
    const auto offset = file.append(kExitFrame, table.view());
    if (!offset) return tl::unexpected(offset.error());
    footer.segments[i].exit = *offset + base::kFrameHeadSize;
    if (i == 0) break;
    if (auto noted = note_first_changes(file, keys, footer.segments[i], room, next); !noted)
      return noted;
  }
  return {};
}

}  // namespace

result<void> finish_segments(base::FrameFile& file, const KeyList& keys, Footer footer) {
  if (auto written = write_exits(file, keys, footer); !written) return written;
  base::Appender payload;
  footer.header.footer_offset = base::next_frame(file.size());
  encode(footer, payload);
  const auto offset = file.append(kFooterFrame, payload.view());
  if (!offset) return tl::unexpected(offset.error());
  // The index is safe before anything says that it is there.
  if (auto synced = file.sync(); !synced) return synced;
  const auto length = static_cast<std::uint32_t>(payload.size() + base::kFrameHeadSize);
  if (auto written = file.append_trailer(encode_trailer(*offset, length)); !written) return written;
  if (auto written = file.write_head(encode(footer.header)); !written) return written;
  return file.sync();
}

result<void> finish_stream(base::FrameFile& file, FileHeader header) {
  header.footer_offset = file.size();
  if (auto synced = file.sync(); !synced) return synced;
  if (auto written = file.write_head(encode(header)); !written) return written;
  return file.sync();
}

}  // namespace polytrace::history
