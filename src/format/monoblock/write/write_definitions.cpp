// SPDX-License-Identifier: Apache-2.0
// MAPPING, LOADED and UNLOADED blocks.
#include "format/monoblock/layout/records.hpp"
#include "format/monoblock/write/block_output.hpp"
#include "format/monoblock/write/writer.hpp"

namespace polytrace::format::monoblock {
namespace {

using event::Event;

bool is_definable(base::Id id) { return id != 0 && id != base::kNoId; }

}  // namespace

// Classes stand before methods.
void BlockFileWriter::open_mapping(const Event& event, bool for_method) {
  const base::Id thread = batch_->thread(event);
  const bool fits = out_.in(BlockCode::mapping) && thread_ == thread &&
                    time_ == counter_of(event) && (for_method || !methods_begun_) && !out_.full();
  if (!fits) {
    close_block();
    const ClockPoint point = take_clock(event, thread);
    out_.open(BlockCode::mapping, point.counter);
    out_.clock(point);
    out_.number(told(thread));
    thread_ = thread;
    time_ = point.counter;
    methods_begun_ = false;
  }
  if (for_method && !methods_begun_) out_.number(0);
  methods_begun_ = for_method;
}

void BlockFileWriter::put_details(const Event& event, const event::Class& details) {
  if (!is_definable(event.id) || details.life == event::Life::end) return lose(event);
  if (details.life != event::Life::name) lose_field(event, "life");
  open_mapping(event, false);
  out_.number(event.id);
  out_.number(told(details.assembly));
  put_text(event, details.name, "name");
  out_.number(details.fixed_size);
  fixed_sizes_[event.id] = details.fixed_size;
}

void BlockFileWriter::put_details(const Event& event, const event::Method& details) {
  if (!is_definable(event.id)) return lose(event);
  open_mapping(event, true);
  if (details.flags > 1) lose_field(event, "flags");
  out_.number(event.id);
  out_.number(told(details.class_id));
  out_.number(details.flags & 1U);
  put_text(event, details.name, "name");
}

template <class T>
void BlockFileWriter::put_load(const Event& event, const T& details, unsigned kind) {
  if (details.life == event::Life::name) return lose(event);
  close_block();
  put_pending_clock();
  if (details.status > 1) lose_field(event, "status");
  if (event.id == base::kNoId) lose_field(event, event::describe(event.kind).subject);
  const bool begin = details.life == event::Life::begin;
  out_.open(begin ? BlockCode::loaded : BlockCode::unloaded, counter_of(event));
  const unsigned outcome = details.status != 0 ? kLoadFailed : begin ? kLoadSucceeded : 0U;
  out_.content().byte(static_cast<std::uint8_t>(kind | outcome));
  out_.number(counter_of(event) - static_cast<std::uint64_t>(details.took));
  out_.number(counter_of(event));
  out_.number(told(batch_->thread(event)));
  out_.number(told(event.id));
  put_text(event, details.name, "name");
  out_.close();
}

void BlockFileWriter::put_details(const Event& event, const event::Module& details) {
  put_load(event, details, kLoadedModule);
}
void BlockFileWriter::put_details(const Event& event, const event::Assembly& details) {
  put_load(event, details, kLoadedAssembly);
}
void BlockFileWriter::put_details(const Event& event, const event::Domain& details) {
  put_load(event, details, kLoadedDomain);
}

}  // namespace polytrace::format::monoblock
