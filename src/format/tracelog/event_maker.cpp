// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/event_maker.hpp"
#include "base/codes.hpp"
#include "base/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace polytrace::format::tracelog {
namespace {

using base::Code;
using base::kNoId;

constexpr std::uint64_t kWrapped = std::uint64_t{1} << 63;
constexpr std::uint64_t kMostMicroseconds = INT64_MAX / kMicrosecond;

}  // namespace

EventMaker::EventMaker(event::Batch& batch, const ChunkStart& start)
    : batch_(batch), start_(start), now_(start.now) {
  // So the threads of the stacks have these indexes, too.
  for (const ChunkStart::Stack& stack : start.stacks)
    thread(stack.thread).stack = put(stack.frames);
  count(Key::sam_str, start.samples);
  count(Key::sam_mem, start.summaries);
  batch_.tally.frames += start.quick_lines.size();
  batch_.column<event::Sample>().reserve(start.samples.count);
}

void EventMaker::tell_quick(std::size_t end) {
  for (; next_quick_ != end; ++next_quick_) {
    const ChunkStart::Quick& quick = start_.quick_lines[next_quick_];
    Thread& of = threads_[quick.stack];
    now_ = static_cast<base::Time>(quick.timestamp) * kMillisecond;
    if (quick.count == ChunkStart::kAllocations) {
      tell_quick_allocations(of, quick.items);
      continue;
    }
    const event::u32 first = quick.items == 0 ? of.stack.first : push(of.stack.first, quick);
    const event::u32 count = quick.prefix + quick.items;
    of.stack.first = first;
    of.stack.count = count;
    auto& column = batch_.column<event::Sample>();
    const auto detail = static_cast<event::u32>(column.size());
    column.emplace_back(quick.count == 0 ? event::SampleMode::change : event::SampleMode::wall,
                        std::uint64_t{quick.count}, event::Stack{{first, count}}, event::Natives{});
    batch_.events.push({now_, of.id, detail, slot(of), event::Kind::Sample, 0});
  }
}

void EventMaker::tell_quick_allocations(Thread& of, std::size_t count) {
  for (; count != 0; --count, ++next_allocation_) {
    const QuickAllocation& item = start_.allocations[next_allocation_];
    event::AllocSummary summary;
    summary.count = item.objects;
    summary.bytes = item.bytes;
    summary.stack = of.stack;
    batch_.add(now_, slot(of), item.type, summary);
  }
}

// Where the stack begins, now that frames came. While it is the last in the batch, nothing moves.
inline event::u32 EventMaker::push(event::u32 first, const ChunkStart::Quick& quick) {
  std::vector<base::Id>& frames = batch_.frames;
  const std::size_t size = frames.size();
  const bool is_last = first + std::size_t{quick.prefix} == size;
  const std::size_t copied = is_last ? 0 : quick.prefix;
  frames.resize(size + copied + quick.items);
  base::Id* const to = frames.data() + size;
  std::copy_n(frames.data() + first, copied, to);
  const base::Id* const pushed = start_.frames.begin() + next_frame_;
  for (std::size_t i = 0; i < quick.items; ++i) to[copied + i] = pushed[i];
  next_frame_ += quick.items;
  return is_last ? first : static_cast<event::u32>(size);
}

void EventMaker::change(event::Stack& stack, const SampleLine& sample) {
  if (sample.changes_nothing() && sample.size == stack.count) return;
  frames_.clear();
  const auto methods = batch_.list(stack);
  const auto places = batch_.places(stack);
  for (std::size_t i = 0; i < methods.size(); ++i)
    frames_.push(methods[i], places.empty() ? 0 : places[i].ip);
  if (stack.places != event::kAbsent && !frames_.has_ips) frames_.start_ips();
  apply(sample, frames_);
  stack = put(frames_);
}

event::Stack EventMaker::put(const Frames& frames) {
  event::Stack stack;
  stack.first = static_cast<event::u32>(batch_.frames.size());
  stack.count = static_cast<event::u32>(frames.size());
  batch_.frames.insert(batch_.frames.end(), frames.methods.begin(), frames.methods.end());
  if (!frames.has_ips) return stack;
  auto& places = batch_.column<event::FramePlace>();
  stack.places = static_cast<event::u32>(places.size());
  for (const std::uint64_t ip : frames.ips) places.push_back({-1, -1, ip});
  return stack;
}

void EventMaker::tell(std::string_view line, std::uint64_t offset, std::uint64_t number) {
  const std::string_view text = without_end(line);
  offset_ = offset;
  number_ = number;
  ++batch_.tally.frames;
  if (text.size() > kKeyBytes && std::memcmp(text.data(), "sam str", kKeyBytes) == 0 &&
      is_blank(text[kKeyBytes])) {
    if (tell_sample(text)) return count(Key::sam_str, {1, line.size()});
    return note(Code::line_malformed, line.size(), "sam str");
  }
  if (text.empty()) {  // or all blanks, which without_end() takes away
    batch_.tally.frame_bytes += line.size();
    return;
  }
  switch (parse_line(text, line_, Lists::not_allocations)) {
    case Verdict::record:
      if (line_.record->number == Key::sam_mem && !tell_allocations())
        return note(Code::line_malformed, line.size(), "sam mem");
      count(line_.record->number, {1, line.size()});
      return tell_record();
    case Verdict::unknown:
      return note(Code::line_unknown, line.size(), std::string(text.substr(0, kKeyBytes)));
    case Verdict::malformed:
      return note(Code::line_malformed, line.size(),
                  text.size() >= kKeyBytes && is_key(text.data())
                      ? std::string(text.substr(0, kKeyBytes))
                      : "no key");
  }
}

void EventMaker::count(Key key, event::Tally::Records lines) {
  auto& records = batch_.tally.records[static_cast<std::size_t>(key)];
  records.count += lines.count;
  records.bytes += lines.bytes;
}

void EventMaker::note(Code code, std::uint64_t bytes, std::string detail) {
  batch_.notices.add(code, {.offset = offset_, .line = static_cast<std::uint32_t>(number_)}, bytes,
                     std::move(detail));
}

bool EventMaker::tell_sample(std::string_view text) {
  if (!parse_sample(text, sample_)) return false;
  now_ = to_time(sample_.timestamp);
  if (sample_.timestamp > kLatest) note(Code::number_clamped, 0, "timestamp");
  if (next_refused_ < start_.refused.size() && start_.refused[next_refused_] == number_)
    return ++next_refused_, false;
  Thread& of = thread(sample_.thread);
  change(of.stack, sample_);
  event::Sample details;
  details.mode = sample_.count == 0 ? event::SampleMode::change : event::SampleMode::wall;
  details.weight = sample_.count;
  details.stack = of.stack;
  batch_.add(now_, slot(of), of.id, details);
  return true;
}

EventMaker::Thread& EventMaker::thread(base::Id id) {
  const std::uint32_t index = ids_.index(id);
  if (index >= threads_.size()) threads_.resize(index + std::size_t{1});
  Thread& found = threads_[index];
  found.id = id;
  if (!found.stack.present()) found.stack.first = static_cast<event::u32>(batch_.frames.size());
  return found;
}

std::uint16_t EventMaker::slot(Thread& of) {
  if (of.has_slot) return of.slot;
  of.has_slot = true;
  of.slot = static_cast<std::uint16_t>(batch_.threads.size());
  batch_.threads.push_back(of.id);
  return of.slot;
}

// What the line does not say itself, the watch knows.
base::Id EventMaker::named_thread(std::size_t field) {
  if (!line_.os_thread && !line_.has_second) return number(field);
  return next_thread_ < start_.threads.size() ? start_.threads[next_thread_++] : kNoId;
}

void EventMaker::take_time(std::size_t field) {
  now_ = to_time(number(field));
  if (number(field) > kLatest) note(Code::number_clamped, 0, "timestamp");
}

event::Text EventMaker::keep(std::string_view text) {
  if (is_utf8(text)) return batch_.keep(text);
  note(Code::text_ill_formed, 0);
  return batch_.keep(base::repaired(text));
}

std::uint32_t EventMaker::narrow(std::uint64_t value) {
  if (value <= UINT32_MAX) return static_cast<std::uint32_t>(value);
  note(Code::number_clamped, 0, fmt::format("{:#x}", value));
  return UINT32_MAX;
}

void EventMaker::tell_record() {
  switch (line_.record->number) {
    case Key::thr_crt:
    case Key::thr_aos:
    case Key::thr_dst: return tell_thread();
    case Key::mod_ldf:
    case Key::mod_ata:
    case Key::asm_ldf:
    case Key::apd_crf: return tell_loaded();
    case Key::cls_ldf:
    case Key::cls_nam: return tell_class();
    case Key::fun_inf:
    case Key::fun_nam:
    case Key::fun_cmf:
    case Key::fun_csf: return tell_function();
    case Key::jit_cms: return tell_jit(event::JitStage::start, 0);
    case Key::jit_cmf: return tell_jit(event::JitStage::end, narrow(number(3)));
    case Key::jit_css: return tell_jit(event::JitStage::cached_start, 0);
    case Key::jit_csf: return tell_jit(event::JitStage::cached_end, 0);
    case Key::gch_gcs:
    case Key::gch_gcf: return tell_collection();
    case Key::gch_alt: return tell_census();
    case Key::gch_gen: return tell_sizes();
    case Key::sam_mem: return;  // told already
    case Key::fil_src:
    case Key::lin_src: return tell_source();
    default: return tell_session();
  }
}

void EventMaker::tell_session() {
  const Key key = line_.record->number;
  if (key == Key::prf_stm) {
    if (line_.time.clamped) note(Code::number_clamped, 0, "start time");
    event::Clock clock;
    clock.wall = line_.time.wall;
    clock.resolution = kMillisecond;
    clock.utc_offset = line_.time.offset;
    batch_.add(0, no_thread(), kNoId, clock);
  } else if (key == Key::prf_cfg) {
    event::Setting setting;
    setting.key = keep(line_.texts[0]);
    setting.value = keep(line_.texts[1]);
    batch_.add(now_, no_thread(), kNoId, setting);
  } else if (key == Key::prf_tps || key == Key::prf_trs) {
    take_time(0);
    event::Recording recording;
    recording.stage =
        key == Key::prf_tps ? event::RecordingStage::pause : event::RecordingStage::resume;
    batch_.add(now_, no_thread(), kNoId, recording);
  } else {
    const bool of_thread = key == Key::thr_cpu;
    take_time(of_thread ? 1 : 0);
    const std::uint64_t usage = number(of_thread ? 2 : 1);
    event::Cpu cpu;
    cpu.scope = of_thread ? event::CpuScope::thread : event::CpuScope::process;
    cpu.bogus = usage >= kWrapped ? 1 : 0;
    const std::uint64_t size = cpu.bogus != 0 ? ~usage + 1 : usage;
    if (size > kMostMicroseconds) note(Code::number_clamped, 0, "CPU time");
    cpu.used = static_cast<base::Duration>(std::min(size, kMostMicroseconds)) * kMicrosecond;
    if (cpu.bogus != 0) cpu.used = -cpu.used;
    batch_.add(now_, of_thread ? slot(number(0)) : no_thread(), kNoId, cpu);
  }
}

void EventMaker::tell_jit(event::JitStage stage, std::uint32_t status) {
  take_time(1);
  event::Jit jit;
  jit.stage = stage == event::JitStage::end && (status & kFailedStatus) != 0
                  ? event::JitStage::failed
                  : stage;
  jit.status = status;
  jit.runtime_id = number(2);
  batch_.add(now_, slot(named_thread(0)), kNoId, jit);
}

void EventMaker::tell_collection() {
  take_time(1);
  event::Gc gc;
  gc.phase = event::GcPhase::end;
  if (line_.record->number == Key::gch_gcs) {
    constexpr std::uint32_t kNumbered = 0x7;  // generations 0 to 2
    gc.phase = event::GcPhase::start;
    gc.generations = static_cast<std::uint32_t>(number(3));
    if ((gc.generations & kNumbered) != 0)
      gc.generation = static_cast<std::uint32_t>(std::bit_width(gc.generations & kNumbered)) - 1;
    if (line_.induced) gc.reason = "induced";
  }
  batch_.add(now_, slot(named_thread(0)), kNoId, gc);
}

// A table without a class is one event without a class.
void EventMaker::tell_census() {
  take_time(0);
  if (line_.list.empty()) return batch_.add(now_, no_thread(), kNoId, event::Census{});
  AltItem item;
  for (Scan items(line_.list); !items.rest().empty() && take_item(items, item);) {
    event::Census census;
    census.objects = item.objects;
    census.bytes = item.bytes;
    batch_.add(now_, no_thread(), item.type, census);
  }
}

void EventMaker::tell_sizes() {
  take_time(0);
  GenItem item;
  for (Scan items(line_.list); !items.rest().empty() && take_item(items, item);) {
    event::HeapSize size;
    size.total = item.reserved;
    size.used = item.allocated;
    size.generation = keep(item.name);
    batch_.add(now_, no_thread(), kNoId, size);
  }
}

// False when the list is malformed: then nothing was told.
bool EventMaker::tell_allocations() {
  Thread& of = thread(number(0));
  const std::size_t events = batch_.events.size();
  const std::size_t summaries = batch_.column<event::AllocSummary>().size();
  const base::Time before = std::exchange(now_, to_time(number(1)));
  event::AllocSummary summary;
  AllocItem item;
  for (Scan items(line_.list); !items.rest().empty();) {
    if (!take_item(items, item)) {
      batch_.events.cut(events);
      batch_.column<event::AllocSummary>().resize(summaries);
      return now_ = before, false;
    }
    summary.stack = of.stack;
    summary.count = item.objects;
    summary.bytes = item.bytes;
    summary.ip = item.ip == 0 ? kNoId : item.ip;
    batch_.add(now_, slot(of), item.type, summary);
  }
  if (number(1) > kLatest) note(Code::number_clamped, 0, "timestamp");
  return true;
}

}  // namespace polytrace::format::tracelog
