// SPDX-License-Identifier: Apache-2.0
#include "collector/thin/thin_marks.hpp"

#include <algorithm>
#include <map>

#include "base/frames/image.hpp"
#include "base/io/appender.hpp"
#include "base/io/crc32c.hpp"
#include "base/io/cursor.hpp"

namespace polytrace::collector {
namespace {

constexpr unsigned kGenBits = 8;
constexpr std::uint32_t kMarkedFor = 86'400;

// Behind the head: the batch, and a sum of both.
struct MarkBody {
  std::uint64_t batch = 0;
  std::uint32_t crc = 0;
  std::uint32_t reserved = 0;
};

std::uint32_t mark_crc(const RecordHead& head, std::uint64_t batch) {
  const std::uint64_t both[] = {head.place, batch};
  return base::crc32c(std::as_bytes(std::span(both)), head.crc);
}

void append_mark(base::Appender& out, const ThinMark& mark, std::uint64_t batch) {
  const std::uint64_t place = std::uint64_t{mark.t} << kGenBits | mark.gen;
  const RecordHead head = record_head(mark.series, place, sizeof(MarkBody));
  out.fixed(head);
  out.fixed(MarkBody{.batch = batch, .crc = mark_crc(head, batch)});
}

using Batches = std::map<ThinMark, std::uint64_t>;

Batches read_marks(base::Bytes bytes, std::uint64_t outbox_end) {
  Batches all;
  Records records(bytes);
  while (records.next()) {
    if (records.payload().size() != sizeof(MarkBody)) continue;
    const auto body = base::load_le<MarkBody>(records.payload().data());
    const RecordHead& head = records.head();
    if (body.crc != mark_crc(head, body.batch) || body.batch >= outbox_end) continue;
    all[{head.key, static_cast<std::uint32_t>(head.place >> kGenBits),
         static_cast<std::uint8_t>(head.place)}] = body.batch;
  }
  std::uint32_t newest = 0;
  for (const auto& [mark, batch] : all) newest = std::max(newest, mark.t);
  std::erase_if(all, [&](const auto& one) { return newest - one.first.t > kMarkedFor; });
  return all;
}

}  // namespace

base::result<ThinMarks> ThinMarks::open(const std::filesystem::path& file,
                                        std::uint64_t outbox_end) {
  ThinMarks marks;
  base::Appender lean;
  std::error_code fault;
  if (std::filesystem::exists(file, fault)) {
    const auto image = base::Image::map(file);
    if (!image) return base::Unexpected(image.error());
    for (const auto& [mark, batch] : read_marks(image->bytes(), outbox_end)) {
      marks.found_.insert(mark);
      append_mark(lean, mark, batch);
    }
  }
  if (auto done = replace_file(file, lean.view()); !done) return base::Unexpected(done.error());
  auto opened = AppendFile::open(file);
  if (!opened) return base::Unexpected(opened.error());
  marks.file_ = std::move(*opened);
  return marks;
}

base::result<void> ThinMarks::add(std::span<const ThinMark> marks, std::uint64_t batch) {
  if (marks.empty()) return {};
  base::Appender records;
  for (const ThinMark& mark : marks) append_mark(records, mark, batch);
  const base::Bytes parts[] = {records.view()};
  if (auto done = file_.append(parts); !done) return done;
  return file_.sync();
}

}  // namespace polytrace::collector
