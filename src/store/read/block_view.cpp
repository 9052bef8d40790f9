// SPDX-License-Identifier: Apache-2.0
#include "store/read/block_view.hpp"

#include <algorithm>
#include <cstring>

#include "base/codes.hpp"
#include "base/frames/svb.hpp"
#include "base/io/cursor.hpp"
#include "store/file/status_clock.hpp"
#include "store/read/block_parts.hpp"

namespace polytrace::store {

using base::Bytes;
using base::Code;

namespace {

base::Unexpected misfit(const char* what) { return base::fail(Code::value_unexpected, what); }

void add_time(const StatusClock::Split& split, std::uint64_t time, PathSum& sum) {
  sum.self += time;
  sum.blocked += split.blocked;
  sum.waiting += split.waiting;
}

base::result<void> read_locals(const BlockParts& parts, std::uint32_t paths,
                               std::vector<CallBlock::Local>& into) {
  const auto raw = parts.get(BlockColumn::local_paths);
  if (!raw) return base::Unexpected(raw.error());
  const std::uint32_t count = parts.head().locals;
  base::Cursor cursor(*raw, 0);
  if (!cursor.fits(count, 2)) return base::fail(cursor.fault_code());
  into.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t up = cursor.uleb();
    const std::int64_t more = base::unzigzag(cursor.uleb());
    if (up > i) return misfit("local path");
    const auto parent = i - static_cast<std::uint32_t>(up);
    const std::uint32_t from = up == 0 ? 0 : into[parent].path;
    const std::uint64_t path = from + static_cast<std::uint64_t>(more);
    if (path >= paths) return misfit("path of a block");
    into[i] = {static_cast<std::uint32_t>(path), parent};
  }
  if (!cursor.ok()) return base::fail(cursor.fault_code());
  return {};
}

// Events of a column as differences.
class EventNumbers {
 public:
  explicit EventNumbers(std::uint32_t events) : events_(events) {}
  // False: there is no such event. `beyond`: one past the last is one, too.
  bool next(base::Cursor& cursor, std::uint32_t beyond = 0) {
    const std::uint64_t more = cursor.uleb();
    if (more > events_ || event_ + more >= std::uint64_t{events_} + beyond) return false;
    event_ += static_cast<std::uint32_t>(more);
    return cursor.ok();
  }
  std::uint32_t event() const { return event_; }

 private:
  std::uint32_t events_;
  std::uint32_t event_ = 0;
};

}  // namespace

// Fills a block from its columns.
class BlockReader {
 public:
  BlockReader(const BlockParts& parts, CallBlock& into) : parts_(parts), into_(into) {}

  base::result<void> read(std::uint32_t paths) {
    into_.head_ = parts_.head();
    if (auto done = read_locals(parts_, paths, into_.locals_); !done) return done;
    for (const auto step :
         {&BlockReader::read_times, &BlockReader::read_directions, &BlockReader::read_codes,
          &BlockReader::read_unwinds, &BlockReader::read_beside, &BlockReader::read_late,
          &BlockReader::read_details, &BlockReader::read_waits}) {
      if (auto done = (this->*step)(); !done) return done;
    }
    return count_events();
  }

 private:
  base::result<void> read_times();
  base::result<void> read_directions();
  base::result<void> read_codes();
  base::result<void> read_unwinds();
  base::result<void> read_beside();
  base::result<void> read_late();
  base::result<void> read_details();
  base::result<void> read_waits();
  base::result<void> count_events();
  std::uint32_t events() const { return parts_.head().events; }

  const BlockParts& parts_;
  CallBlock& into_;
};

base::result<void> BlockReader::read_times() {
  thread_local base::RawArray<std::byte> raw_lengths;
  const auto lengths = parts_.get(BlockColumn::time_lengths, raw_lengths);
  if (!lengths) return base::Unexpected(lengths.error());
  const auto bytes = parts_.get(BlockColumn::times);
  if (!bytes) return base::Unexpected(bytes.error());
  if (lengths->size() != base::svb_lengths(events())) return misfit("lengths of times");
  into_.times_.clear();
  std::uint32_t* const times = into_.times_.room(events());
  const auto used = base::decode_svb(*lengths, *bytes, {times, events()});
  if (!used) return base::fail(Code::field_past_end);
  into_.times_.grew_to(times + events());
  into_.larger_.clear();
  base::Cursor larger(bytes->subspan(*used), 0);
  if (larger.done()) return {};
  for (std::uint32_t i = 0; i < events(); ++i)
    if (times[i] == base::kSvbLarger) into_.larger_.emplace_back(i, larger.uleb());
  if (!larger.ok()) return base::fail(larger.fault_code());
  return {};
}

base::result<void> BlockReader::read_directions() {
  const auto raw = parts_.get(BlockColumn::directions);
  if (!raw) return base::Unexpected(raw.error());
  if (raw->size() != (events() + 7) / 8) return misfit("directions");
  const std::size_t words = (events() + 63) / 64;
  into_.directions_.clear();
  std::uint64_t* const bits = into_.directions_.room(words + 1);
  bits[words == 0 ? 0 : words - 1] = 0;
  if (!raw->empty()) std::memcpy(bits, raw->data(), raw->size());
  if (events() % 64 != 0) bits[words - 1] &= (std::uint64_t{1} << (events() % 64)) - 1;
  into_.directions_.grew_to(bits + words);
  std::uint32_t enters = 0;
  for (const std::uint64_t word : into_.directions_)
    enters += static_cast<std::uint32_t>(std::popcount(word));
  if (enters != parts_.head().enters) return misfit("number of entries");
  return {};
}

base::result<void> BlockReader::read_codes() {
  const auto raw = parts_.get(BlockColumn::codes);
  if (!raw) return base::Unexpected(raw.error());
  const std::uint32_t locals = parts_.head().locals;
  const std::uint32_t enters = parts_.head().enters;
  const bool wide = locals > 256;
  if (raw->size() != std::size_t{enters} * (wide ? 2 : 1)) return misfit("codes");
  into_.codes_.clear();
  // Walks look at one more than there are.
  std::uint16_t* const codes = into_.codes_.room(enters + std::size_t{1});
  codes[enters] = 0;
  if (wide && enters != 0) std::memcpy(codes, raw->data(), raw->size());
  else std::ranges::transform(*raw, codes, [](std::byte code) { return std::uint16_t(code); });
  std::uint16_t most = 0;
  for (std::uint32_t i = 0; i < enters; ++i) most = std::max(most, codes[i]);
  if (most >= locals) return misfit("code of a path");
  into_.codes_.grew_to(codes + enters);
  return {};
}

base::result<void> BlockReader::read_unwinds() {
  into_.unwinds_.clear();
  const auto raw = parts_.get(BlockColumn::unwinds);
  if (!raw) return base::Unexpected(raw.error());
  EventNumbers numbers(events());
  for (base::Cursor cursor(*raw, 0); !cursor.done();) {
    if (!numbers.next(cursor)) return misfit("unwinds");
    into_.unwinds_.push_back(numbers.event());
  }
  return {};
}

base::result<void> BlockReader::read_beside() {
  constexpr unsigned kSorts = 3;
  into_.beside_.clear();
  const auto raw = parts_.get(BlockColumn::irregular);
  if (!raw) return base::Unexpected(raw.error());
  EventNumbers numbers(events());
  for (base::Cursor cursor(*raw, 0); !cursor.done();) {
    if (!numbers.next(cursor, 1)) return misfit("irregular events");
    const std::uint8_t byte = cursor.byte();
    const auto sort = static_cast<Irregular>(byte & kSorts);
    BesideEvent beside{numbers.event(), sort, static_cast<std::uint8_t>(byte & ~kSorts), kNoMethod,
                       0};
    if (sort == Irregular::made) beside.value = cursor.uleb();
    if (sort == Irregular::not_open || sort == Irregular::dropped) {
      beside.value = static_cast<std::uint64_t>(base::unzigzag(cursor.uleb()));
      beside.method = static_cast<std::uint32_t>(cursor.uleb() - 1);  // of 0: kNoMethod
    }
    if (!cursor.ok()) return base::fail(cursor.fault_code());
    const bool fits = sort != Irregular::made || beside.value <= beside.event;
    if (!fits || (sort == Irregular::no_method && beside.event == events()))
      return misfit("irregular events");
    into_.beside_.push_back(beside);
  }
  return {};
}

base::result<void> BlockReader::read_late() {
  into_.late_.clear();
  const auto raw = parts_.get(BlockColumn::late);
  if (!raw) return base::Unexpected(raw.error());
  EventNumbers numbers(events());
  for (base::Cursor cursor(*raw, 0); !cursor.done();) {
    if (!numbers.next(cursor)) return misfit("late times");
    into_.late_.push_back({numbers.event(), cursor.uleb()});
    if (!cursor.ok()) return base::fail(cursor.fault_code());
  }
  return {};
}

base::result<void> BlockReader::read_details() {
  const auto raw = parts_.get(BlockColumn::details);
  if (!raw) return base::Unexpected(raw.error());
  into_.details_.assign(reinterpret_cast<const char*>(raw->data()), raw->size());
  return {};
}

base::result<void> BlockReader::read_waits() {
  into_.changes_.clear();
  const auto raw = parts_.get(BlockColumn::waits);
  if (!raw) return base::Unexpected(raw.error());
  EventNumbers numbers(events());
  base::Time time = into_.head_.before;
  std::uint32_t event = 0;
  base::Time least = time;
  for (base::Cursor cursor(*raw, 0); !cursor.done();) {
    if (!numbers.next(cursor, 1)) return misfit("waits");
    for (; event < numbers.event(); ++event) time = base::tick_after(time, into_.difference(event));
    least = std::max(least, base::tick_after(time, cursor.uleb()));
    const std::uint8_t to = cursor.byte();
    if (!cursor.ok()) return base::fail(cursor.fault_code());
    if (to > static_cast<std::uint8_t>(Status::waiting)) return misfit("waits");
    into_.changes_.push_back({least, static_cast<Status>(to)});
  }
  return {};
}

base::result<void> BlockReader::count_events() {
  std::uint64_t made = 0;
  std::uint64_t more = 0;
  for (const BesideEvent& beside : into_.beside_) {
    if (beside.sort == Irregular::made) made += beside.value;
    else if (beside.sort != Irregular::no_method) ++more;
  }
  if (made > events()) return misfit("irregular events");
  into_.source_events_ = events() - made + more;
  return {};
}

base::result<BlockHead> read_block_head(Bytes payload) {
  BlockParts parts;
  if (auto opened = parts.open(payload); !opened) return base::Unexpected(opened.error());
  return parts.head();
}

base::result<void> read_block_sums(Bytes payload, std::uint32_t paths, std::vector<PathSum>& into) {
  BlockParts parts;
  if (auto opened = parts.open(payload); !opened) return opened;
  thread_local std::vector<CallBlock::Local> locals;
  if (auto done = read_locals(parts, paths, locals); !done) return done;
  const auto raw = parts.get(BlockColumn::sums);
  if (!raw) return base::Unexpected(raw.error());
  base::Cursor cursor(*raw, 0);
  const bool has_waits = (parts.head().flags & kHasWaits) != 0;
  const bool has_cpu = (parts.head().flags & kHasCpu) != 0;
  // In place: a sum that is made apart and copied costs three times as much.
  const std::size_t before = into.size();
  into.resize(before + locals.size());
  auto sum = into.begin() + static_cast<std::ptrdiff_t>(before);
  for (const CallBlock::Local& local : locals) {
    sum->path = local.path;
    sum->calls = cursor.uleb();
    sum->self = cursor.uleb();
    if (has_waits) {
      sum->blocked = cursor.uleb();
      sum->waiting = cursor.uleb();
    }
    if (has_cpu) sum->cpu = cursor.uleb();
    if (sum->calls != 0 || sum->self != 0 || sum->cpu != 0) ++sum;
  }
  into.erase(sum, into.end());
  if (!cursor.ok()) return base::fail(cursor.fault_code());
  return {};
}

base::result<void> read_ends(Bytes payload, std::vector<CallEnd>& into) {
  constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << (64 - kCallBits);
  std::vector<std::uint64_t> blocks, calls, durations;
  for (auto* const column : {&blocks, &calls, &durations})
    if (auto read = base::read_svb(payload, *column); !read) return read;
  if (calls.size() != blocks.size() || durations.size() != blocks.size() ||
      payload.size() < blocks.size())
    return misfit("ends of calls");
  std::uint64_t block = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    block += blocks[i];
    const auto how = static_cast<std::uint8_t>(payload[i]);
    if (block >= kMostBlocks || calls[i] >= kBlockEvents ||
        how > static_cast<std::uint8_t>(EndKind::end_of_trace))
      return misfit("ends of calls");
    into.push_back({slice_id(block, static_cast<std::uint32_t>(calls[i])), durations[i],
                    static_cast<EndKind>(how)});
  }
  return {};
}

base::result<void> CallBlock::read(Bytes payload, std::uint32_t paths) {
  BlockParts parts;
  if (auto opened = parts.open(payload); !opened) return opened;
  return BlockReader(parts, *this).read(paths);
}

std::size_t CallBlock::bytes() const {
  return sizeof *this + times_.size() * sizeof times_[0] + larger_.size() * sizeof larger_[0] +
         directions_.size() * sizeof directions_[0] + codes_.size() * sizeof codes_[0] +
         locals_.size() * sizeof locals_[0] + unwinds_.size() * sizeof unwinds_[0] +
         beside_.size() * sizeof beside_[0] + late_.size() * sizeof late_[0] + details_.size() +
         changes_.size() * sizeof changes_[0];
}

std::uint64_t CallBlock::larger_difference(std::uint32_t event) const {
  if (times_[event] != base::kSvbLarger) return times_[event];
  const auto found =
      std::ranges::lower_bound(larger_, event, {}, &std::pair<std::uint32_t, std::uint64_t>::first);
  return found != larger_.end() && found->first == event ? found->second : times_[event];
}

void CallBlock::add_figures(base::Time from, base::Time to, std::span<PathSum> by_local) const {
  if (from > head_.before || head_.last >= to || !larger_.empty() || !changes_.empty())
    return add_part(from, to, by_local);
  thread_local std::vector<Figures> figures;
  figures.assign(locals_.size(), {});
  add_all(figures);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    by_local[i].calls += figures[i].calls;
    by_local[i].self += figures[i].self;
  }
}

// Without a branch that depends on the trace.
void CallBlock::add_all(std::span<Figures> by_local) const {
  const Local* const locals = locals_.data();
  const std::uint16_t* code = codes_.data();
  Figures* const figures = by_local.data();
  std::uint64_t time = 0;
  std::uint32_t local = head_.local;
  for (std::uint32_t i = 0; i < head_.events; ++i) {
    const std::uint64_t enters = directions_[i / 64] >> (i % 64) & 1;
    figures[local].self += times_[i];
    time += times_[i];
    const std::uint32_t entered = *code;
    const std::uint32_t left = locals[local].parent;
    local = enters != 0 ? entered : left;
    figures[local].calls += enters;
    code += enters;
  }
  figures[local].self += base::elapsed(base::tick_after(head_.before, time), head_.last);
}

template <class Part, class Entered>
void CallBlock::walk(base::Time from, base::Time to, Part part, Entered entered) const {
  std::uint32_t local = head_.local;
  std::uint32_t call = 0;
  base::Time time = head_.before;
  const auto pass = [&](base::Time upto) {
    const base::Time begin = std::max(time, from);
    const base::Time end = std::min(upto, to);
    time = std::max(time, upto);
    if (end > begin) part(local, begin, end);
  };
  for (std::uint32_t i = 0; i < head_.events && time < to; ++i) {
    const base::Time next = base::tick_after(time, difference(i));
    pass(next);
    if (next >= to) return;
    const bool is_entry = enters(i);
    local = is_entry ? codes_[call++] : locals_[local].parent;
    if (is_entry) entered(local, next);
  }
  pass(head_.last);
}

// At the edges of a range, and where waits or large numbers ask for more.
void CallBlock::add_part(base::Time from, base::Time to, std::span<PathSum> by_local) const {
  StatusClock clock(changes_, from);
  const auto part = [&](std::uint32_t local, base::Time begin, base::Time end) {
    clock.pass(begin);
    add_time(clock.upto(end), base::elapsed(begin, end), by_local[local]);
  };
  walk(from, to, part, [&](std::uint32_t local, base::Time time) {
    if (time >= from) ++by_local[local].calls;
  });
}

void CallBlock::add_pauses(base::Time from, base::Time to,
                           std::span<const slice::Pauses::Pause> pauses,
                           std::span<PathSum> by_local) const {
  StatusClock clock(changes_, from);
  auto pause = std::ranges::upper_bound(pauses, std::max(from, head_.before), {},
                                        &slice::Pauses::Pause::end);
  const auto part = [&](std::uint32_t local, base::Time begin, base::Time end) {
    for (; pause != pauses.end() && pause->start < end; ++pause) {
      const base::Time paused = std::max(begin, pause->start);
      const base::Time resumed = std::min(end, pause->end);
      clock.pass(paused);
      if (resumed > paused)
        add_time(clock.upto(resumed), base::elapsed(paused, resumed), by_local[local]);
      if (pause->end > end) return;
    }
  };
  walk(from, to, part, [](std::uint32_t, base::Time) {});
}

}  // namespace polytrace::store
