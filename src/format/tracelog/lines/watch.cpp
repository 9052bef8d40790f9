// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/lines/watch.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/codes.hpp"

namespace polytrace::format::tracelog {

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

std::optional<std::uint64_t> timestamp_of(const Line& line) {
  const auto items = line.record->items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].type == Item::ms) return line.numbers[i];
  }
  return std::nullopt;
}

base::Time to_time(std::uint64_t timestamp) {
  return static_cast<base::Time>(std::min(timestamp, kLatest)) * kMillisecond;
}

void Watch::begin() {
  if (start_) start_->clear();
  else start_ = pool_->take();
  start_->now = now_;
  start_->pid = pid_;
  frames_ = 0;
  lines_ = 0;
  ++chunk_;
}

const char* Watch::see_quick(const char* at, const char* end) {
  const auto bytes = static_cast<std::size_t>(end - at);
  ChunkStart::Quick* const first = start_->quick_lines.room(bytes / kShortestQuick + 1);
  ChunkStart::Quick* quick = first;
  base::Id* frames = start_->frames.room(bytes / kShortestFrame + kMostQuickItems);
  QuickAllocation* allocations =
      start_->allocations.room(bytes / kShortestAllocation + kMostQuickItems);
  QuickLine line;
  for (; at < end && frames_ < kChunkFrames; ++quick) {
    const auto key = base::load_bytes<std::uint64_t>(at);
    if (key != kQuickSample && key != kQuickAllocations) break;
    const char* next = parse_quick_head(at, line, digits_);
    if (next == nullptr) break;
    Thread* const of = spelled_thread(line.thread);
    if (of == nullptr) break;
    const bool samples = key == kQuickSample;
    next = samples ? parse_quick_sample(next, line, frames)
                   : parse_quick_allocations(next, line, allocations);
    if (next == nullptr || (samples && !take_quick(line, *of, frames))) break;
    if (!samples) save(*of);
    quick->timestamp = line.timestamp;
    quick->count = samples ? static_cast<std::uint32_t>(line.count) : ChunkStart::kAllocations;
    quick->stack = of->saved_as;
    quick->prefix = static_cast<std::uint32_t>(line.prefix);
    quick->items = static_cast<std::uint32_t>(line.items);
    event::Tally::Records& tally = samples ? start_->samples : start_->summaries;
    ++tally.count;
    tally.bytes += static_cast<std::uint64_t>(next - at);
    if (samples) frames += line.items;
    else allocations += line.items;
    at = next;
  }
  lines_ += static_cast<std::size_t>(quick - first);
  start_->quick_lines.grew_to(quick);
  start_->frames.grew_to(frames);
  start_->allocations.grew_to(allocations);
  return at;
}

// Changes the thread's stack, unless there is something odd about it.
inline bool Watch::take_quick(const QuickLine& line, Thread& of, const base::Id* frames) {
  FrameIds& stack = of.stack.methods;
  const std::size_t depth = line.prefix + line.items;
  const std::size_t all_frames = all_frames_ - stack.size() + depth;
  if (line.size != stack.size() || line.prefix > line.size || of.stack.has_ips ||
      all_frames > kMostFrames)
    return false;
  save(of);
  all_frames_ = all_frames;
  frames_ += depth;
  stack.cut(line.prefix);
  base::Id* const top = stack.room(kMostQuickItems);
  for (std::size_t i = 0; i < line.items; ++i) top[i] = frames[i];
  stack.grew_to(top + line.items);
  return true;
}

// Null when the digits are none, or there are too many threads.
inline Watch::Thread* Watch::spelled_thread(std::uint64_t digits) {
  Spelled& known = spelled_[(digits * 0x9e3779b97f4a7c15U) >> (64 - kSpelledBits)];
  if (known.digits == digits) [[likely]]
    return known.thread;
  base::Id id = base::kNoId;
  Thread* const found = thread_of(digits, id) ? thread(id) : nullptr;
  if (found != nullptr) known = {digits, found};
  return found;
}

void Watch::see(std::string_view line, std::size_t begin, std::uint64_t offset,
                std::uint64_t number) {
  start_->others.push({begin, line.size(), start_->quick_lines.size(), lines_++});
  const std::string_view text = without_end(line);
  if (text.size() <= kKeyBytes || !is_blank(text[kKeyBytes])) return;
  const auto starts = [text](const char* key, std::size_t bytes) {
    return std::memcmp(text.data(), key, bytes) == 0;
  };
  if (starts("sam ", 4)) {
    if (starts("sam str", 7)) see_sample(text, offset, number);
    else if (starts("sam mem", 7)) see_allocations(text);
  } else if ((starts("thr ", 4) && text[5] != 'p') || starts("jit ", 4) || starts("gch gc", 6) ||
             starts("apd ", 4)) {
    see_other(text, offset, number);
  }
}

void Watch::see_sample(std::string_view text, std::uint64_t offset, std::uint64_t number) {
  if (!parse_sample(text, sample_)) return;
  Thread* const of = thread(sample_.thread);
  const std::size_t depth = static_cast<std::size_t>(sample_.prefix) + sample_.frames.size();
  if (of == nullptr || all_frames_ - of->stack.size() + depth > kMostFrames) {
    start_->refused.push_back(number);
    return;
  }
  save(*of);
  all_frames_ -= of->stack.size();
  const std::size_t was = of->stack.size();
  const Applied applied = apply(sample_, of->stack);
  all_frames_ += of->stack.size();
  frames_ += of->stack.size();
  if (!applied.desync && !applied.call_point_alone) [[likely]]
    return;
  const base::Place place{.offset = offset, .line = static_cast<std::uint32_t>(number)};
  if (applied.desync)
    notices_.add(base::Code::depth_differs, place, 0,
                 fmt::format("{} frames told, {} known", sample_.size, was));
  if (applied.call_point_alone) notices_.add(base::Code::call_point_alone, place, 0);
}

// The line may be malformed: a copy too many costs little.
void Watch::see_allocations(std::string_view text) {
  Scan scan(text);
  scan.skip(kKeyBytes);
  base::Id id = base::kNoId;
  if (!scan.gap() || !scan.iid(id)) return;
  if (Thread* const of = thread(id)) save(*of);
}

void Watch::see_other(std::string_view text, std::uint64_t offset, std::uint64_t number) {
  if (parse_line(text, line_) != Verdict::record) return;
  switch (line_.record->number) {
    case Key::thr_crt:
    case Key::thr_aos:
    case Key::thr_dst: return see_thread(line_, number);
    case Key::apd_crf:
      if (pid_ == base::kNoId) pid_ = line_.numbers[1];
      if (!told_process_) start_->pid = pid_;
      return;
    case Key::jit_cms:
    case Key::jit_cmf:
    case Key::jit_css:
    case Key::jit_csf:
    case Key::gch_gcs:
    case Key::gch_gcf: break;
    default: return;
  }
  if (!line_.os_thread) return;
  const auto found = os_threads_.find(line_.numbers[0]);
  start_->threads.push_back(found == os_threads_.end() ? base::kNoId : found->second);
  if (found != os_threads_.end()) return;
  notices_.add(base::Code::reference_undefined,
               {.offset = offset, .line = static_cast<std::uint32_t>(number)}, 0,
               fmt::format("thread {} of the system", line_.numbers[0]));
}

void Watch::see_thread(const Line& line, std::uint64_t number) {
  const bool creates = line.record->number == Key::thr_crt;
  if (creates && !std::exchange(told_process_, true)) start_->process_at = number;
  if (line.record->number == Key::thr_dst) return end_thread(line);
  if (!creates) os_threads_[line.numbers[1]] = line.numbers[0];
  Thread* const of = thread(line.numbers[creates ? 1 : 0]);
  if (of != nullptr) of->live = true;
}

void Watch::end_thread(const Line& line) {
  base::Id id = line.numbers[0];
  if (line.has_second) {
    if (!is_live(id) && is_live(line.numbers[1])) id = line.numbers[1];
    start_->threads.push_back(id);
  }
  const std::uint32_t index = ids_.find(id);
  if (index == base::IdTable::kNone) return;
  all_frames_ -= threads_[index].stack.size();
  threads_[index].stack = {};
  threads_[index].live = false;
}

// Null when there are too many.
Watch::Thread* Watch::thread(base::Id id) {
  const std::uint32_t known = ids_.size();
  if (known >= kMostThreads && ids_.find(id) == base::IdTable::kNone) return nullptr;
  const std::uint32_t index = ids_.index(id);
  if (index >= threads_.size()) threads_.resize(index + std::size_t{1});
  threads_[index].id = id;
  return &threads_[index];
}

bool Watch::is_live(base::Id id) const {
  const std::uint32_t index = ids_.find(id);
  return index != base::IdTable::kNone && threads_[index].live;
}

inline void Watch::save(Thread& thread) {
  thread.live = true;
  if (thread.saved_in != chunk_) copy_stack(thread);
}

void Watch::copy_stack(Thread& thread) {
  thread.saved_in = chunk_;
  thread.saved_as = static_cast<std::uint32_t>(start_->stacks.size());
  start_->stacks.push_back({thread.id, thread.stack});
  frames_ += thread.stack.size();
}

std::shared_ptr<const ChunkStart> Watch::end(std::string_view bytes) {
  if (const auto last = last_timestamp(bytes)) now_ = to_time(*last);
  return ChunkStartPool::share(pool_, std::move(start_));
}

// Found from behind: mostly it stands in one of the last lines.
std::optional<std::uint64_t> Watch::last_timestamp(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.size() - 1;  // the line's own end
    const std::size_t before = end == 0 ? std::string_view::npos : bytes.rfind('\n', end - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view text = without_end(bytes.substr(begin));
    bytes = bytes.substr(0, begin);
    if (text.starts_with("sam str ") || text.starts_with("sam str\t")) {
      if (parse_sample(text, sample_)) return sample_.timestamp;
    } else if (parse_line(text, line_) == Verdict::record) {
      if (const auto found = timestamp_of(line_)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace polytrace::format::tracelog
