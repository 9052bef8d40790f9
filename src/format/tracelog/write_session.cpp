// SPDX-License-Identifier: Apache-2.0
// The session and its figures as lines.
#include "format/tracelog/held.hpp"
#include "format/tracelog/lines/watch.hpp"
#include "format/tracelog/writer.hpp"

namespace polytrace::format::tracelog {
namespace {

using event::Event;

constexpr base::Duration kDay = 24 * 60 * kMinute;

// Whether a setting's value comes back from a line that ends with it.
bool is_trimmed(std::string_view text) {
  return text.empty() || (!is_blank(text.front()) && !is_blank(text.back()));
}

}  // namespace

// Told by the records of its parts: the digits of pointers, the domain's process.
void TraceLogWriter::tell(const Event& event, const event::Process& process) {
  count_lost_fields(loss_, event.kind, process);
  no_thread(event);
  lose(event, !process.runtime.empty() && process.runtime != "CoreCLR", "runtime");
  lose(event, !process.agent.empty() && process.agent != "CoreProfiler", "agent");
  lose(event, event.id != base::kNoId && event.id != process_, "pid");
  if (process.pointer_size == 0) return;
  lose(event, process.pointer_size != 4 && process.pointer_size != 8, "pointer_size");
  out_.decide(process.pointer_size == 4 ? 8 : 16);
}

void TraceLogWriter::tell(const Event& event, const event::Clock& clock) {
  if (clock.wall == base::kNoTime) return lose(event);
  count_lost_fields(loss_, event.kind, clock);
  Line& line = start(Key::prf_stm);
  // A reader's clock starts at 0.
  if (__builtin_sub_overflow(clock.wall, shifted(event), &line.time.wall)) return lose(event);
  // Where no time was told yet, the log's clock begins here: at neither 1970 nor the machine's
  // start.
  if (now_ == 0 && origin_ == 0 && event.time > 0) {
    origin_ = event.time - event.time % kMillisecond;
    if (__builtin_add_overflow(line.time.wall, origin_, &line.time.wall)) return lose(event);
  }
  const bool later = dialect_ == Dialect::later;
  const bool possible =
      clock.utc_offset % kMinute == 0 && clock.utc_offset < kDay && clock.utc_offset > -kDay;
  lose(event, clock.utc_offset != 0 && (!later || !possible), "utc_offset");
  lose(event, line.time.wall % kMillisecond != 0, "wall");
  if (later && possible) line.time.offset = clock.utc_offset;
  put_line();
}

void TraceLogWriter::tell(const Event& event, const event::Setting& setting) {
  if (setting.key.empty() || setting.key.find_first_of(" \t") != std::string_view::npos)
    return lose(event);
  untimed(event);
  no_thread(event);
  Line& line = start(Key::prf_cfg);
  line.texts[0] = one_line(event, setting.key, "key", texts_[0]);
  line.texts[1] = one_line(event, setting.value, "value", texts_[1]);
  lose(event, !is_trimmed(setting.value), "value");
  put_line();
}

void TraceLogWriter::tell(const Event& event, const event::Recording& recording) {
  const bool pause = recording.stage == event::RecordingStage::pause;
  if (!pause && recording.stage != event::RecordingStage::resume) return lose(event);
  count_lost_fields(loss_, event.kind, recording);
  no_thread(event);
  start(pause ? Key::prf_tps : Key::prf_trs).numbers[0] = timestamp(event);
  put_line();
}

void TraceLogWriter::tell(const Event& event, const event::Cpu& cpu) {
  const bool of_thread = cpu.scope == event::CpuScope::thread;
  if (!of_thread) no_thread(event);
  // A wrapped difference is negative, and only such a one.
  const bool wrapped = cpu.bogus == 1 && cpu.used < 0;
  lose(event, cpu.bogus != 0 && !wrapped, "bogus");
  lose(event, cpu.used % kMicrosecond != 0 || (cpu.used < 0 && !wrapped), "used");
  const base::Duration usage = cpu.used / kMicrosecond;
  lose(event, wrapped && usage == 0, "bogus");
  Line& line = start(of_thread ? Key::thr_cpu : Key::prc_cpu);
  std::size_t field = 0;
  if (of_thread) line.numbers[field++] = batch_->thread(event);
  line.numbers[field++] = timestamp(event);
  line.numbers[field] = static_cast<std::uint64_t>(usage < 0 && !wrapped ? 0 : usage);
  put_line();
}

}  // namespace polytrace::format::tracelog
