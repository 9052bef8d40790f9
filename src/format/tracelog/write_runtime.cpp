// SPDX-License-Identifier: Apache-2.0
// What the runtime did, as lines: tables as lists.
#include <fmt/format.h>

#include <bit>
#include <utility>

#include "format/tracelog/held.hpp"
#include "format/tracelog/lines/watch.hpp"
#include "format/tracelog/writer.hpp"

namespace polytrace::format::tracelog {
namespace {

using base::kNoId;
using event::Event;
using event::JitStage;

std::optional<Key> key_of(JitStage stage) {
  switch (stage) {
    case JitStage::start: return Key::jit_cms;
    case JitStage::end:
    case JitStage::failed: return Key::jit_cmf;
    case JitStage::cached_start: return Key::jit_css;
    case JitStage::cached_end: return Key::jit_csf;
    default: return std::nullopt;
  }
}

bool is_word(std::string_view text) {
  return !text.empty() && text.find_first_of(std::string_view(" \t:\r\n\0", 6)) == text.npos &&
         is_utf8(text);
}

}  // namespace

void TraceLogWriter::tell(const Event& event, const event::Jit& jit) {
  const bool early = dialect_ == Dialect::early;
  if (early && tell_early_jit(event, jit)) return;
  close_function();
  const auto key = key_of(jit.stage);
  if (early || !key) return lose(event);
  const bool failed = (jit.status & kFailedStatus) != 0;
  const bool finished = *key == Key::jit_cmf;
  lose(event, finished && failed != (jit.stage == JitStage::failed), "stage");
  lose(event, !finished && jit.status != 0, "status");
  lose(event, event.id != kNoId, "method");
  start(*key);
  name_thread(batch_->thread(event));
  line_.numbers[1] = timestamp(event);
  line_.numbers[2] = jit.runtime_id == kNoId ? 0 : jit.runtime_id;
  line_.numbers[3] = jit.status;
  put_line();
}

// An early log tells the end of a compilation with the function, without a time.
bool TraceLogWriter::tell_early_jit(const Event& event, const event::Jit& jit) {
  const bool cached = jit.stage == JitStage::cached_end;
  const bool ends = cached || jit.stage == JitStage::end || jit.stage == JitStage::failed;
  if (!ends || event.id != kNoId) return false;
  if (((jit.status & kFailedStatus) != 0) != (jit.stage == JitStage::failed)) return false;
  if (cached && jit.status != 0) return false;
  const base::Id function = jit.runtime_id == kNoId ? 0 : jit.runtime_id;
  const bool follows =
      function_.open && function_.head[1] == function && batch_->thread(event) == kNoId;
  if (!follows) close_function();
  compiled_[function] = {cached, jit.status};
  if (follows) untimed(event);
  if (follows) close_function();
  else lose(event);
  return true;
}

std::uint64_t TraceLogWriter::letters_of(const Event& event, const event::Gc& gc) {
  constexpr std::uint32_t kNumbered = 0x7;
  constexpr std::uint32_t kWritable = 0xff;
  std::uint32_t letters = gc.generations & kWritable;
  lose(event, letters != gc.generations, "generations");
  const std::uint32_t highest =
      (letters & kNumbered) == 0
          ? event::kAbsent
          : static_cast<std::uint32_t>(std::bit_width(letters & kNumbered)) - 1;
  lose(event, gc.generation != highest, "generation");
  if (letters == 0 && gc.generation <= 2) letters = (2U << gc.generation) - 1;
  return letters;
}

void TraceLogWriter::tell(const Event& event, const event::Gc& gc) {
  const bool starts = gc.phase == event::GcPhase::start;
  if (!starts && gc.phase != event::GcPhase::end) return lose(event);
  lose(event, event.id != kNoId, "collection");
  lose(event, !gc.reason.empty() && (!starts || gc.reason != "induced"), "reason");
  start(starts ? Key::gch_gcs : Key::gch_gcf);
  name_thread(batch_->thread(event));
  line_.numbers[1] = timestamp(event);
  if (starts) {
    line_.induced = gc.reason.starts_with("induced");
    line_.numbers[3] = letters_of(event, gc);
  } else {
    lose(event, gc.generation != event::kAbsent, "generation");
    lose(event, gc.generations != 0, "generations");
  }
  put_line();
}

void TraceLogWriter::add_row(const Event& event, Key key, base::Id collection,
                             std::string_view row) {
  constexpr std::size_t kMostBytes = 8 << 20;
  const base::Id thread = batch_->thread(event);
  const bool same = table_.key == key && table_.collection == collection &&
                    table_.thread == thread && table_.rows.size() < kMostBytes;
  if (!same) {
    put_table();
    table_ = {
        .key = key, .collection = collection, .thread = thread, .time = event.time, .rows = {}};
  }
  lose(event, event.time != table_.time, "time");
  table_.rows += row;
}

void TraceLogWriter::put_table() {
  if (std::exchange(table_.collection, kNoId) == kNoId) return;
  close_function();
  Line& line = start(table_.key);
  const event::Event first{
      .time = table_.time,
      .id = kNoId,
      .detail = event::kAbsent,
      .thread = 0,
      .kind = table_.key == Key::gch_alt ? event::Kind::Census : event::Kind::HeapSize,
      .reserved = 0};
  line.numbers[0] = timestamp(first);
  print_line(out_.printer(), line);
  out_.printer().text(table_.rows);
  out_.printer().end();
}

// An event without a class is a table without classes.
void TraceLogWriter::tell(const Event& event, const event::Census& census) {
  count_lost_fields(loss_, event.kind, census);
  no_thread(event);
  if (census.collection != kNoId && event.id != kNoId)
    return add_row(event, Key::gch_alt, census.collection,
                   fmt::format(" {:#x}:{}:{}", event.id, census.objects, census.bytes));
  const std::uint64_t at = timestamp(event);
  LinePrinter& out = out_.printer();
  if (!continues_list(Key::gch_alt, event)) {
    line_ = {};
    line_.record = &record(Key::gch_alt);
    line_.numbers[0] = at;
    print_line(out, line_);
    if (event.id == kNoId && census.objects == 0 && census.bytes == 0) return end_list();
  }
  out.text(" "), out.small_iid(event.id);
  out.text(":"), out.dec(census.objects);
  out.text(":"), out.dec(census.bytes);
}

void TraceLogWriter::tell(const Event& event, const event::HeapSize& size) {
  if (!is_word(size.generation)) return lose(event);
  count_lost_fields(loss_, event.kind, size);
  no_thread(event);
  if (size.collection != kNoId)
    return add_row(event, Key::gch_gen, size.collection,
                   fmt::format(" {}:{}:{}", size.generation, size.used, size.total));
  const std::uint64_t at = timestamp(event);
  LinePrinter& out = out_.printer();
  if (!continues_list(Key::gch_gen, event)) {
    line_ = {};
    line_.record = &record(Key::gch_gen);
    line_.numbers[0] = at;
    print_line(out, line_);
  }
  out.text(" "), out.text(size.generation);
  out.text(":"), out.dec(size.used);
  out.text(":"), out.dec(size.total);
}

}  // namespace polytrace::format::tracelog
