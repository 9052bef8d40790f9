// SPDX-License-Identifier: Apache-2.0
#include "format/whole.hpp"

#include "event/text/text.hpp"

namespace polytrace::format::test {

std::vector<std::string> without_header(const std::vector<std::string>& lines) {
  std::vector<std::string> rest;
  for (const std::string& line : lines) {
    const auto kind = line.find(' ', line.find(' ') + 1) + 1;
    const std::string_view from = std::string_view(line).substr(kind);
    if (!from.starts_with("process ") && !from.starts_with("clock ")) rest.push_back(line);
  }
  return rest;
}

Whole read_whole(std::unique_ptr<base::Source> source, const ReadHow& how) {
  Whole whole;
  event::ReadOptions options;
  options.resync = how.resync;
  options.limits.frame_bytes = how.longest_frame;
  auto opened = format::open(std::move(source), options);
  if (!opened) {
    whole.open_error = opened.error();
    return whole;
  }
  whole.format = opened->format->name;
  whole.version = opened->reader->version();
  event::Batch batch;
  for (;;) {
    const auto more = opened->reader->next(batch);
    if (!more) whole.read_error = more.error();
    if (!more || !*more) break;
    whole.tally.merge(batch.tally);
    whole.notices.merge(batch.notices);
    whole.events += batch.events.size();
    if (!how.text) continue;
    for (const event::Event& event : batch.events)
      whole.lines.push_back(event::to_text(batch, event));
  }
  whole.notices.merge(opened->reader->notices());
  return whole;
}

Whole read_whole(std::vector<std::byte> bytes, const ReadHow& how) {
  return read_whole(base::memory_source(std::move(bytes), how.step), how);
}

base::result<Written> write_lines(const Format& format, std::string_view version,
                                  const std::vector<std::string>& lines,
                                  std::optional<std::endian> byte_order) {
  constexpr std::size_t kBatch = 1000;
  Written written;
  auto writer = format.create(base::memory_sink(written.bytes), {std::string(version), byte_order});
  if (!writer) return base::Unexpected(writer.error());
  event::Batch batch;
  for (const std::string& line : lines) {
    if (auto done = event::parse_text(line, batch); !done) return base::Unexpected(done.error());
    if (batch.events.size() < kBatch) continue;
    if (auto done = (*writer)->write(batch); !done) return base::Unexpected(done.error());
    batch.clear();
  }
  if (auto done = (*writer)->write(batch); !done) return base::Unexpected(done.error());
  if (auto done = (*writer)->finish(); !done) return base::Unexpected(done.error());
  written.loss = (*writer)->loss();
  return written;
}

}  // namespace polytrace::format::test
