// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/reader.hpp"

#include "base/text/utf8.hpp"
#include "format/tracelog/event_maker.hpp"

namespace polytrace::format::tracelog {
namespace {

constexpr std::size_t kLook = 64 * 1024;  // enough to meet the first function

// The next whole line; the rest, which is cut somewhere, is dropped.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end == text.npos ? 0 : end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return without_end(line);
}

bool is_later(const Line& line) {
  return line.record->dialects == In::later || line.os_thread ||
         (line.record->number == Key::prf_stm && line.time.has_offset);
}

}  // namespace

Dialect dialect_of(std::string_view head) {
  if (head.starts_with(base::kByteOrderMark)) head.remove_prefix(base::kByteOrderMark.size());
  while (!head.empty()) {
    const std::string_view text = take_line(head);
    Line line;
    if (parse_line(text, line) != Verdict::record) continue;
    if (line.record->dialects == In::early) return Dialect::early;
    if (is_later(line)) return Dialect::later;
  }
  return Dialect::seed;
}

base::result<std::unique_ptr<event::Reader>> TraceLogReader::open(
    std::unique_ptr<base::Source> source, const event::ReadOptions& options) {
  // Two reads: the first gives what was read for recognising the format. Never waits for more.
  std::vector<std::byte> head(kLook);
  std::size_t size = 0;
  for (int reads = 0; reads < 2 && size < head.size(); ++reads) {
    const auto got = source->read(std::span(head).subspan(size));
    if (!got) return base::Unexpected(got.error());
    size += *got;
  }
  head.resize(size);
  const Dialect dialect = dialect_of({reinterpret_cast<const char*>(head.data()), head.size()});
  return std::make_unique<TraceLogReader>(base::prepend(std::move(head), std::move(source)),
                                          dialect, options);
}

std::string TraceLogReader::version() const {
  return std::string(kDialects[static_cast<std::size_t>(dialect_)]);
}

base::result<bool> TraceLogReader::fetch(event::Chunk& chunk) {
  auto more = FramedReader::fetch(chunk);
  if (!more || *more || started_) return started_ = true, more;
  // A log without a whole line is read, too.
  started_ = true;
  chunk.bytes.clear();
  chunk.context = std::make_shared<ChunkStart>();
  chunk.offset = 0;
  chunk.sequence = 0;
  chunk.first_frame = 1;
  return true;
}

void TraceLogReader::decode(const event::Chunk& chunk, event::Batch& batch) const {
  batch.clear();
  batch.offset = chunk.offset;
  const auto& start = *static_cast<const ChunkStart*>(chunk.context.get());
  EventMaker maker(batch, start);
  const std::string_view text(reinterpret_cast<const char*>(chunk.bytes.data()),
                              chunk.bytes.size());
  if (chunk.offset == 0 && text.starts_with(base::kByteOrderMark))
    batch.tally.frame_bytes += base::kByteOrderMark.size();
  for (const ChunkStart::Other& line : start.others) {
    maker.tell_quick(line.quick_lines);
    maker.tell(text.substr(line.begin, line.bytes), chunk.offset + line.begin,
               chunk.first_frame + line.lines);
  }
  maker.tell_quick(start.quick_lines.size());
}

// Functions name their class by the runtime's own id, which means the class loaded last under it.
void TraceLogReader::settle(event::Chunk&, event::Batch& batch) {
  auto& methods = batch.column<event::Method>();
  if (methods.empty() && batch.column<event::Class>().empty()) return;
  for (const event::Event& event : batch.events) {
    if (event.kind == event::Kind::Class) {
      const auto& details = batch.details<event::Class>(event);
      if (details.runtime_id != base::kNoId && details.runtime_id != 0)
        classes_[details.runtime_id] = event.id;
    } else if (event.kind == event::Kind::Method) {
      base::Id& class_id = methods[event.detail].class_id;
      const auto known = classes_.find(class_id);
      if (known != classes_.end()) class_id = known->second;
    }
  }
}

}  // namespace polytrace::format::tracelog
