// SPDX-License-Identifier: Apache-2.0
// The text log of CoreCLR events that CoreProfiler writes: docs/formats/tracelog.md.
#include "format/format.hpp"

#include <fmt/format.h>

#include "base/text/utf8.hpp"
#include "format/tracelog/framing.hpp"
#include "format/tracelog/reader.hpp"
#include "format/tracelog/writer.hpp"

namespace polytrace::format::tracelog {
namespace {

// Any line that begins like a known record: the first ones may be damaged.
bool recognise(base::Bytes head) {
  std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (text.starts_with(base::kByteOrderMark)) text.remove_prefix(base::kByteOrderMark.size());
  if (text.starts_with('<')) return false;  // markup may quote a log
  while (text.size() >= kKeyBytes) {
    const bool ends = text.size() == kKeyBytes || is_blank(text[kKeyBytes]) ||
                      text[kKeyBytes] == '\r' || text[kKeyBytes] == '\n';
    if (ends && find_record(text.data()) != nullptr) return true;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
  return false;
}

std::string record_name(std::uint8_t number) {
  return number < records().size() ? std::string(records()[number].key)
                                   : fmt::format("record {}", number);
}

}  // namespace

const Format kFormat{
    .name = "tracelog",
    .title = "CoreProfiler trace log",
    .suffix = ".trace.log",
    .read_versions = "seed, later, early",
    .write_versions = kDialects,
    .recognise = recognise,
    .open = TraceLogReader::open,
    .create = TraceLogWriter::create,
    .record_name = record_name,
    .holds = TraceLogWriter::holds,
};

}  // namespace polytrace::format::tracelog
