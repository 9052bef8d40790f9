// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/read/block_reader.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "format/monoblock/layout/mapping.hpp"
#include "format/monoblock/layout/names.hpp"
#include "format/monoblock/layout/records.hpp"
#include "format/monoblock/read/event_reader.hpp"
#include "format/monoblock/read/hit_reader.hpp"

namespace polytrace::format::monoblock {
namespace {

using base::Code;
using base::Id;
using base::Time;

struct BlockInfo {
  BlockCode code;
  std::string_view name;
};

constexpr BlockInfo kBlocks[]{
#define BLOCK(code, identifier, name, ...) {BlockCode::identifier, name},
#include "format/monoblock/layout/blocks.def"
#undef BLOCK
};

std::string_view name_of(BlockCode code) {
  for (const BlockInfo& info : kBlocks) {
    if (info.code == code) return info.name;
  }
  return {};
}

}  // namespace

bool BlockReader::read_content(Reading& at) {
  switch (at.block.code) {
#define BLOCK(code, identifier, name, reader) \
  case BlockCode::identifier: reader(at); return true;
#include "format/monoblock/layout/blocks.def"
#undef BLOCK
  }
  return false;
}

void BlockReader::read(const Block& block, const State& state) {
  Reading at(block, state, file_.header_bytes(), batch_.tally);
  ++batch_.tally.frames;
  batch_.tally.frame_bytes += file_.header_bytes();
  const auto place = [&](std::uint64_t offset) {
    return base::Place{.offset = offset,
                       .frame = fmt::format("block {} at {:#x}", block.number, block.offset)};
  };
  if (!read_content(at)) {
    const auto code = static_cast<unsigned>(block.code);
    return batch_.notices.add(Code::code_unknown, place(block.offset), block.payload.size(),
                              fmt::format("block code {}", code));
  }
  const std::string detail = fmt::format("in {}", name_of(block.code));
  if (!at.in.ok())
    return batch_.notices.add(at.in.fault_code(), place(at.in.fault_offset()), at.account.left(),
                              detail);
  if (at.account.left() > 0)
    batch_.notices.add(Code::block_longer, place(at.in.offset()), at.account.left(), detail);
}

BlockReader::ClockPair::ClockPair(base::Cursor& in) : counter(number(in)), time(number(in)) {
  if (time > kLastMicrosecond) in.fault(Code::value_unexpected);
}

Time BlockReader::tell_clock(Reading& at, ClockPair pair, Id thread,
                             std::uint64_t ticks_per_second) {
  const auto now = static_cast<Time>(pair.counter);
  if (!at.in.ok()) return now;
  event::Clock clock;
  clock.wall = static_cast<Time>(pair.time * 1000);
  clock.ticks_per_second = ticks_per_second;
  batch_.add(now, slot(thread), base::kNoId, clock);
  return now;
}

void BlockReader::read_tail(Reading& at, Id thread) {
  if (!file_.shipped() || !at.in.ok()) return;
  tell_clock(at, ClockPair{at.in}, thread);
  if (at.in.ok()) at.account.framing();
}

void BlockReader::read_intro(Reading& at) {
  const std::uint64_t version = number(at.in);
  if (version != 1) return at.in.fault(Code::value_unexpected);
  event::Process process;
  process.runtime = text(at);
  process.options = batch_.keep(names_of_flags(number(at.in)));
  const ClockPair pair{at.in};
  if (!at.in.ok()) return;
  batch_.add(static_cast<Time>(pair.counter), slot(base::kNoId), base::kNoId, process);
  tell_clock(at, pair, base::kNoId);
  at.account.record(Record::intro);
}

void BlockReader::read_end(Reading& at) {
  const std::uint64_t version = number(at.in);
  if (version != 1) return at.in.fault(Code::value_unexpected);
  const ClockPair pair{at.in};
  const Time now =
      tell_clock(at, pair, base::kNoId, ticks_per_second(file_, pair.counter, pair.time));
  if (!at.in.ok()) return;
  batch_.add(now, slot(base::kNoId), base::kNoId, event::Recording{event::RecordingStage::end, {}});
  at.account.record(Record::end);
}

void BlockReader::read_directives(Reading& at) {
  const Time now = tell_clock(at, ClockPair{at.in}, base::kNoId);
  if (at.in.ok()) at.account.framing();
  while (const std::uint64_t directive = number(at.in)) {
    event::Setting setting;
    setting.key = kDirectiveKey;
    setting.value = batch_.keep(directive_name(directive));
    if (!is_directive(directive))
      batch_.notices.add(Code::directive_unknown, {.offset = at.block.offset}, 0,
                         fmt::format("directive {}", directive));
    batch_.add(now, slot(base::kNoId), base::kNoId, setting);
    at.account.record(Record::directive);
  }
  tell_clock(at, ClockPair{at.in}, base::kNoId);
  if (at.in.ok()) at.account.framing();
}

void BlockReader::read_mapping(Reading& at) {
  const ClockPair pair{at.in};
  const Id thread = number(at.in);
  const Time now = tell_clock(at, pair, thread);
  if (!at.in.ok()) return;
  at.account.framing();
  for (;;) {
    const MappedClass entry = read_mapped_class(at.in, file_, at.state);
    if (!at.in.ok() || entry.id == 0) break;
    event::Class details{.life = event::Life::name, .fixed_size = entry.fixed_size};
    details.name = batch_.keep(entry.name);
    details.assembly = entry.assembly.value_or(base::kNoId);
    batch_.add(now, slot(thread), entry.id, details);
    at.account.record(Record::map_class);
  }
  while (at.in.ok()) {
    const MappedMethod entry = read_mapped_method(at.in, file_, at.state);
    if (!at.in.ok() || entry.id == 0) break;
    event::Method details{.class_id = entry.class_id};
    details.name = batch_.keep(entry.name);
    details.flags = static_cast<std::uint32_t>(entry.wrapper);
    batch_.add(now, slot(thread), entry.id, details);
    at.account.record(Record::map_method);
  }
  if (at.in.ok()) at.account.framing();
  read_tail(at, thread);
}

void BlockReader::read_loaded(Reading& at) {
  read_load(at, event::Life::begin);
  if (at.in.ok()) at.account.record(Record::loaded);
}

void BlockReader::read_unloaded(Reading& at) {
  read_load(at, event::Life::end);
  if (at.in.ok()) at.account.record(Record::unloaded);
}

void BlockReader::read_load(Reading& at, event::Life life) {
  const unsigned kind = at.in.byte();
  const std::uint64_t start = number(at.in);
  const std::uint64_t end = number(at.in);
  const std::uint16_t thread = slot(number(at.in));
  const bool has_id = !file_.shipped() || at.state.has(Directive::loaded_carry_id);
  const Id id = has_id ? number(at.in) : base::kNoId;
  const auto tell = [&](auto details) {
    details.life = life;
    details.name = text(at);
    details.status = (kind & kLoadFailed) != 0 ? 1 : 0;
    details.took = static_cast<base::Duration>(end - start);
    if (!at.in.ok()) return;
    batch_.add(static_cast<Time>(end), thread, id, details);
    if constexpr (std::is_same_v<decltype(details), event::Assembly>)
      tell_assembly(at, static_cast<Time>(end), thread, details.name);
  };
  const unsigned outcome = kind & ~7U;
  if (outcome != 0 && outcome != kLoadSucceeded && outcome != kLoadFailed)
    return at.in.fault(Code::value_unexpected);
  switch (kind & 7U) {
    case kLoadedModule: return tell(event::Module{});
    case kLoadedAssembly: return tell(event::Assembly{});
    case kLoadedDomain: return tell(event::Domain{});
    default: return at.in.fault(Code::value_unexpected);
  }
}

// The parts of an assembly's name, which no event has fields for.
void BlockReader::tell_assembly(Reading& at, Time time, std::uint16_t thread, event::Text name) {
  if (!file_.shipped() || !at.state.has(Directive::classes_carry_assembly)) return;
  const std::string_view simple = at.in.zero_terminated();
  std::uint64_t version[4];
  for (std::uint64_t& part : version) part = number(at.in);
  const std::string_view culture = at.in.zero_terminated();
  const std::string_view token = at.in.zero_terminated();
  const std::uint64_t retargetable = number(at.in);
  if (!at.in.ok()) return batch_.events.cut(batch_.events.size() - 1);
  event::Note note;
  note.text = batch_.keep(fmt::format(
      "assembly {}: {}, Version={}.{}.{}.{}, Culture={}, PublicKeyToken={}, Retargetable={}", name,
      simple, version[0], version[1], version[2], version[3], culture, token, retargetable));
  batch_.add(time, thread, base::kNoId, note);
}

void BlockReader::read_events(Reading& at) {
  const auto begin = file_.shipped() ? std::optional(ClockPair{at.in}) : std::nullopt;
  if (!begin) number(at.in);  // the start counter, which says nothing that the base does not
  const Id thread = number(at.in);
  const std::uint64_t base = number(at.in);
  if (begin) tell_clock(at, *begin, thread);
  if (!at.in.ok()) return;
  at.account.framing();
  stack_.clear();
  EventReader(file_, at.state, {batch_, at.in, at.account, stack_, sizes_}, thread, base)
      .read_all();
  read_tail(at, thread);
}

void BlockReader::read_statistical(Reading& at) {
  const Time now = tell_clock(at, ClockPair{at.in}, base::kNoId);
  if (!at.in.ok()) return;
  at.account.framing();
  HitReader(file_, at.state, batch_, at.in, at.account, now).read_all();
  read_tail(at);
}

void BlockReader::read_heap_data(Reading& at) {
  ClockPair start{at.in};
  ClockPair end{at.in};
  const Id collection = number(at.in);
  ClockPair written{at.in};
  if (!at.in.ok()) return;
  const std::uint16_t none = slot(base::kNoId);
  const Time now = static_cast<Time>(written.counter);
  tell_clock(at, start, base::kNoId);
  batch_.add(static_cast<Time>(start.counter), none, collection, event::Dump{});
  tell_clock(at, end, base::kNoId);
  tell_clock(at, written, base::kNoId);
  at.account.framing();
  read_heap_items(at, now);
  batch_.add(static_cast<Time>(end.counter), none, collection,
             event::Dump{.stage = event::DumpStage::end});
  read_tail(at);
}

void BlockReader::read_heap_items(Reading& at, Time now) {
  while (at.in.ok() && !(at.in.done() && !file_.shipped())) {
    const std::uint64_t item = number(at.in);
    if (!at.in.ok()) return;
    if (item == 0 && file_.shipped()) return at.account.framing();
    if ((item & 3U) == 1) read_object(at, item - 1, now);
    else if ((item & 3U) == 2) read_freed(at, item >> 2, now);
    else at.in.fault(Code::value_unexpected);
  }
}

void BlockReader::read_object(Reading& at, Id object, Time now) {
  event::DumpObject details;
  details.class_id = number(at.in);
  details.size = number(at.in);
  const std::uint64_t count = number(at.in);
  if (!at.in.fits(count, 1)) return;
  auto& refs = batch_.column<event::Ref>();
  details.refs.first = static_cast<std::uint32_t>(refs.size());
  details.refs.count = static_cast<std::uint32_t>(count);
  for (std::uint64_t i = 0; i < count; ++i) refs.push_back({number(at.in), 0});
  if (!at.in.ok()) return;
  batch_.add(now, slot(base::kNoId), object, details);
  at.account.record(Record::heap_object);
}

void BlockReader::read_freed(Reading& at, Id class_id, Time now) {
  event::Free details;
  details.class_id = class_id;
  details.size = number(at.in);
  if (!at.in.ok()) return;
  batch_.add(now, slot(base::kNoId), base::kNoId, details);
  at.account.record(Record::heap_freed);
}

void BlockReader::read_heap_summary(Reading& at) {
  const ClockPair pair{at.in};
  const Id collection = number(at.in);
  const Time now = tell_clock(at, pair, base::kNoId);
  if (!at.in.ok()) return;
  at.account.framing();
  const std::size_t before = batch_.events.size();
  while (at.in.ok() && !(at.in.done() && !file_.shipped())) {
    const Id class_id = number(at.in);
    if (class_id == 0 && file_.shipped() && at.in.ok()) {
      at.account.framing();
      break;
    }
    read_summary_row(at, class_id, collection, now);
  }
  // So that the collection is not lost with a summary that has no rows.
  if (batch_.events.size() == before)
    batch_.add(now, slot(base::kNoId), base::kNoId, event::Census{.collection = collection});
  read_tail(at);
}

void BlockReader::read_summary_row(Reading& at, Id class_id, Id collection, Time now) {
  event::Census reachable{.reach = event::Reach::reachable, .collection = collection};
  event::Census unreachable{.reach = event::Reach::unreachable, .collection = collection};
  reachable.objects = number(at.in);
  reachable.bytes = number(at.in);
  unreachable.objects = number(at.in);
  unreachable.bytes = number(at.in);
  if (!at.in.ok()) return;
  const bool dead = unreachable.objects != 0 || unreachable.bytes != 0;
  if (!dead || reachable.objects != 0 || reachable.bytes != 0)
    batch_.add(now, slot(base::kNoId), class_id, reachable);
  if (dead) batch_.add(now, slot(base::kNoId), class_id, unreachable);
  at.account.record(Record::heap_summary);
}

}  // namespace polytrace::format::monoblock
