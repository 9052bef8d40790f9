// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/write/writer.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <optional>
#include "base/codes.hpp"

#include "event/batch.hpp"
#include "event/visit.hpp"
#include "event/writer.hpp"
#include "format/monoblock/layout/names.hpp"
#include "format/monoblock/layout/state.hpp"

namespace polytrace::format::monoblock {

using base::Id;
using event::Event;
using event::Kind;

namespace {

// Which events and fields the written variant can hold (held.def).
constexpr auto kHeld = [] {
  std::array<std::optional<std::string_view>, event::kKindCount> table{};
#define HELD(Type, fields) table[static_cast<std::size_t>(event::Kind::Type)] = fields;
#include "format/monoblock/write/held.def"
#undef HELD
  return table;
}();

bool lists(std::string_view fields, std::string_view name) {
  while (!fields.empty()) {
    const std::size_t end = std::min(fields.find(' '), fields.size());
    if (fields.substr(0, end) == name) return true;
    fields.remove_prefix(std::min(end + 1, fields.size()));
  }
  return false;
}

// A visitor (visit.hpp).
struct LostFields {
  std::string_view held;
  event::Kind kind;
  event::Loss& loss;

  template <event::Tag tag, class T>
  void field(std::string_view name, const T& value) {
    if (event::is_told<tag>(value) && !lists(held, name)) loss.field(kind, name);
  }
};

// Counts the fields of an event that are told and have no place.
void count_lost_fields(const event::Batch& batch, const event::Event& event, event::Loss& loss) {
  if (event.detail == event::kAbsent) return;
  const auto& held = kHeld[static_cast<std::size_t>(event.kind)];
  LostFields lost{held.value_or(std::string_view{}), event.kind, loss};
  event::with_details(batch, event,
                      [&](const auto& details) { event::visit_fields(lost, details); });
}

}  // namespace

base::result<std::unique_ptr<event::Writer>> BlockFileWriter::create(
    std::unique_ptr<base::Sink> sink, const WriteOptions& options) {
  const std::string_view review = kVariantNames[0];
  if (!options.version.empty() && options.version != review)
    return base::fail(
        base::Code::version_unsupported,
        fmt::format("monoblock is written in variant {}, not {}", review, options.version));
  return std::make_unique<BlockFileWriter>(std::move(sink));
}

bool BlockFileWriter::holds(Kind kind, std::string_view) {
  return kHeld[static_cast<std::size_t>(kind)].has_value();
}

base::result<void> BlockFileWriter::write(const event::Batch& batch) {
  batch_ = &batch;
  const Event* event = batch.events.begin();
  const Event* const end = batch.events.end();
  while (event != end) {
    // Most of what there is.
    const std::size_t calls = put_calls({event, end});
    if (calls == 0) put(*event);
    event += std::max<std::size_t>(calls, 1);
  }
  lost_of_calls_.tell(loss_);
  return out_.flush_some();
}

base::result<void> BlockFileWriter::finish() {
  if (dump_) put_dump(last_time_);
  put_pending_clock();
  close_block();
  loss_.events[static_cast<std::size_t>(Kind::NativeSymbol)] += new_functions_.size();
  new_functions_.clear();
  if (!ended_ && !leave_open_) {
    out_.begin(static_cast<std::uint64_t>(last_time_));
    put_end(out_.point_at(static_cast<std::uint64_t>(last_time_)));
  }
  return out_.finish();
}

void BlockFileWriter::put(const Event& event) {
  ended_ = false;
  last_time_ = std::max(last_time_, event.time);
  if (event::is_call(event.kind)) lost_of_calls_.see(*batch_, event);
  const std::uint64_t lost = loss_.events[static_cast<std::size_t>(event.kind)];
  event::with_details(*batch_, event, [&](const auto& details) { put_details(event, details); });
  if (!event::is_call(event.kind) && loss_.events[static_cast<std::size_t>(event.kind)] == lost)
    count_lost_fields(*batch_, event, loss_);
}

void BlockFileWriter::lose_subject(const Event& event) {
  if (event.id != base::kNoId) lose_field(event, event::describe(event.kind).subject);
}

void BlockFileWriter::lose_thread(const Event& event) {
  if (batch_->thread(event) != base::kNoId) lose_field(event, "thread");
}

void BlockFileWriter::put_text(const Event& event, event::Text text, std::string_view field) {
  if (text.find('\0') != event::Text::npos) lose_field(event, field);
  out_.content().zero_terminated(text);
}

void BlockFileWriter::close_block() {
  if (out_.in(BlockCode::directives)) {
    out_.number(0);
    out_.clock(begun_at_);
  } else if (out_.in(BlockCode::mapping)) {
    if (!methods_begun_) out_.number(0);
    out_.number(0);
  } else if (out_.in(BlockCode::statistical)) {
    close_regions();
  } else if (out_.in(BlockCode::heap_summary)) {
    put_row(0, 0);
  }
  out_.close();
}

// --- the session ---

void BlockFileWriter::put_details(const Event& event, const event::Process& process) {
  if (out_.begun() || have_process_) return lose(event);
  have_process_ = true;
  lose_subject(event);
  if (!process.runtime.empty() && process.runtime != "mono") lose_field(event, "runtime");
  const auto flags = flags_of_names(process.options);
  if (flags) out_.set_flags(*flags);
  else lose_field(event, "options");
}

ClockPoint BlockFileWriter::point_of(const Event& event, const event::Clock& clock) {
  constexpr event::Time kMicrosecond = 1000;
  const std::uint64_t counter = counter_of(event);
  if (clock.wall == base::kNoTime) return out_.point_at(counter);
  if (clock.wall < 0 || clock.wall % kMicrosecond != 0) lose_field(event, "wall");
  return {counter, static_cast<std::uint64_t>(std::max<event::Time>(clock.wall, 0) / kMicrosecond)};
}

void BlockFileWriter::put_details(const Event& event, const event::Clock& clock) {
  const Id thread = batch_->thread(event);
  if (!out_.begun() && !out_.has_start()) {
    lose_thread(event);
    lose_ticks(clock.ticks_per_second);
    return out_.set_start(point_of(event, clock));
  }
  if (thread == base::kNoId && take_dump_clock(event, clock)) return;
  if (thread == base::kNoId && out_.in(BlockCode::directives)) {
    lose_ticks(clock.ticks_per_second);
    out_.number(0);
    out_.clock(point_of(event, clock));
    return out_.close();
  }
  close_block();
  put_pending_clock();
  clock_ = {point_of(event, clock), thread, clock.ticks_per_second};
}

// Only an END block tells them.
void BlockFileWriter::lose_ticks(std::uint64_t ticks_per_second) {
  if (ticks_per_second != 0) loss_.field(Kind::Clock, "ticks_per_second");
}

ClockPoint BlockFileWriter::take_clock(const Event& event, Id thread,
                                       std::uint64_t ticks_per_second) {
  const std::uint64_t counter = counter_of(event);
  if (!clock_ || clock_->point.counter != counter || clock_->thread != thread) {
    put_pending_clock();
    return out_.point_at(counter);
  }
  if (clock_->ticks_per_second != ticks_per_second) lose_ticks(clock_->ticks_per_second);
  const ClockPoint point = clock_->point;
  clock_.reset();
  return point;
}

// A clock of no block gets one of its own, without other content.
void BlockFileWriter::put_pending_clock() {
  if (!clock_) return;
  const PendingClock clock = *clock_;
  clock_.reset();
  lose_ticks(clock.ticks_per_second);
  close_block();
  const bool threaded = clock.thread != base::kNoId;
  out_.open(threaded ? BlockCode::mapping : BlockCode::statistical, clock.point.counter);
  out_.clock(clock.point);
  if (threaded) {
    out_.number(clock.thread);
    out_.number(0);
    out_.number(0);
  }
  out_.close();
}

void BlockFileWriter::put_details(const Event& event, const event::Recording& recording) {
  if (recording.stage != event::RecordingStage::end) return lose(event);
  lose_thread(event);
  close_block();
  const std::uint64_t counter = counter_of(event);
  out_.begin(counter);
  const std::uint64_t time = clock_ ? clock_->point.time : 0;
  put_end(take_clock(event, base::kNoId, ticks_per_second(out_.head(), counter, time)));
}

void BlockFileWriter::put_end(ClockPoint point) {
  out_.open(BlockCode::end, point.counter);
  out_.number(1);
  out_.clock(point);
  out_.close();
  ended_ = true;
}

// What directives a source had says how it was written. This variant has one.
void BlockFileWriter::put_details(const Event& event, const event::Setting& setting) {
  constexpr auto kOurs = static_cast<std::uint64_t>(Directive::packed_events);
  if (setting.key != kDirectiveKey || setting.value != directive_name(kOurs)) return lose(event);
  lose_thread(event);
  if (!out_.in(BlockCode::directives) || time_ != counter_of(event)) {
    close_block();
    begun_at_ = take_clock(event, base::kNoId);
    out_.open(BlockCode::directives, begun_at_.counter);
    out_.clock(begun_at_);
    time_ = begun_at_.counter;
  }
  out_.number(kOurs);
}

}  // namespace polytrace::format::monoblock
