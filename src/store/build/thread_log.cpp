// SPDX-License-Identifier: Apache-2.0
#include "store/build/thread_log.hpp"

#include <algorithm>

#include "base/frames/svb.hpp"
#include "slice/spans.hpp"
#include "store/build/largest.hpp"

namespace polytrace::store {
namespace {

using event::Kind;

// So many calls at once, at most: as many frames are kept free for them.
constexpr std::ptrdiff_t kStretch = 256;
constexpr std::size_t kMostChanges = kBlockEvents;

std::uint32_t told_method(const event::Event& event, const slice::Names& names) {
  return event.id == base::kNoId ? kNoMethod : names.methods().index(event.id);
}

}  // namespace

const event::Event* ThreadLog::take_calls(const event::Batch& batch, const Event* at,
                                          const Event* end, const slice::Names& names) {
  while (at != end && event::is_call(at->kind)) {
    make_room(at->time);
    at = take_plain(at, end, names);
    if (at == end || !event::is_call(at->kind)) break;
    make_room(at->time);
    if (at->kind == Kind::Enter) enter(batch, *at, names);
    else leave(batch, *at, names);
    ++at;
  }
  return at;
}

void ThreadLog::make_room(base::Time time) {
  if (block_ != nullptr) {
    if (!block_->full()) return;
    close();
  }
  if (now_ == base::kNoTime) now_ = time;
  block_ = shared_->spare->take();
  if (block_ == nullptr) block_ = std::make_unique<OpenBlock>();
  block_->number = shared_->next_block++;
  block_->head.thread = thread_;
  block_->head.entered = entered_;
  block_->begin(path(), shared_->paths.method(path()), static_cast<std::uint32_t>(calls_.depth()),
                now_);
  local_ = 0;
  if (status_ != Status::none) block_->changes.push_back({now_, status_});
  for (const StatusChange& change : std::exchange(changes_, {})) this->change(change.at, change.to);
}

// As far as nothing is out of the ordinary: known methods in order of time, without details, whose
// leaves end the innermost call, which the block has entered.
const event::Event* ThreadLog::take_plain(const Event* at, const Event* end,
                                          const slice::Names& names) {
  OpenBlock& block = *block_;
  event::CallAccount& account = shared_->account;
  const auto most = std::min<std::ptrdiff_t>({end - at, kStretch, kBlockEvents - block.events()});
  const auto room = static_cast<std::size_t>(most);
  if (calls_.counts() != nullptr || calls_.dropped() != 0 ||
      account.open + room >= event::CallAccount::kMostOpen)
    return at;
  const Event* const stop = at + most;
  const std::size_t depth = calls_.depth();
  Frame* top = calls_.top(room);
  const Frame* const outermost = top - depth;
  BlockFiller filler(block, room);
  std::uint16_t local = local_;
  base::Time now = now_;
  SliceId slice = slice_id(block.number, static_cast<std::uint32_t>(block.codes.size()));
  for (; at != stop; ++at) {
    if (at->detail != event::kAbsent || at->time < now) break;
    const std::uint64_t difference =
        static_cast<std::uint64_t>(at->time) - static_cast<std::uint64_t>(now);
    if (difference > base::kSvbMost) break;
    if (at->kind == Kind::Enter) {
      block.locals[local].self += difference;
      const std::uint32_t method = names.methods().index(at->id);
      local = block.child(local, method, shared_->paths);
      OpenBlock::Local& called = block.locals[local];
      ++called.calls;
      filler.enter(static_cast<std::uint32_t>(difference), local);
      top->id = at->id;
      top->ticket = 0;
      top->start = at->time;
      top->slice = slice++;
      top->path = called.path;
      ++top;
    } else {
      OpenBlock::Local& left = block.locals[local];
      if (at->kind != Kind::Leave || top == outermost || top[-1].id != at->id ||
          left.parent == OpenBlock::kNone)
        break;
      left.self += difference;
      local = left.parent;
      filler.leave(static_cast<std::uint32_t>(difference));
      --top;
    }
    now = at->time;
  }
  filler.finish(block);
  calls_.set_top(top);
  account.open += calls_.depth() - depth;
  local_ = local;
  now_ = now;
  return at;
}

void ThreadLog::put(base::Time time, bool enters) {
  OpenBlock& block = *block_;
  const std::uint64_t difference = base::elapsed(now_, time);
  const std::uint32_t event = block.events();
  const bool is_large = difference > base::kSvbMost;
  if (is_large) block.larger.push_back(difference);
  block.times.push(is_large ? base::kSvbLarger : static_cast<std::uint32_t>(difference));
  if (event % 64 == 0) block.directions.push(0);
  block.directions[event / 64] |= std::uint64_t{enters} << (event % 64);
  block.locals[local_].self += difference;
  now_ = time;
}

void ThreadLog::enter(const event::Batch& batch, const Event& event, const slice::Names& names) {
  event::CallAccount& account = shared_->account;
  if (calls_.dropped() != 0 || account.open >= event::CallAccount::kMostOpen) {
    calls_.drop(account);
    ++account_.dropped;
    return put_beside(Irregular::dropped, event, names);
  }
  OpenBlock& block = *block_;
  tell(event);
  put(std::max(event.time, now_), true);
  const auto call = static_cast<std::uint32_t>(block.codes.size());
  local_ = block.child(local_, names.methods().index(event.id), shared_->paths);
  ++block.locals[local_].calls;
  block.codes.push(local_);
  Frame frame{event::called(batch, event), now_, slice_id(block.number, call),
              block.locals[local_].path};
  calls_.enter(frame, account);
}

void ThreadLog::leave(const event::Batch& batch, const Event& event, const slice::Names& names) {
  event::CallAccount& account = shared_->account;
  if (calls_.dropped() != 0) {
    calls_.leave_dropped();
    return put_beside(Irregular::not_open, event, names);
  }
  const std::size_t stay = calls_.find(event::called(batch, event));
  if (stay == calls_.depth()) {
    ++account.ignored;
    ++account_.ignored;
    return put_beside(Irregular::not_open, event, names);
  }
  leave_callees(stay + 1, event.time);
  OpenBlock& block = *block_;
  tell(event);
  if (event.kind == Kind::Unwind) block.unwinds.push_back(block.events());
  if (event.id == base::kNoId && calls_.innermost().id != base::kNoId)
    block.beside.push_back({block.events(), Irregular::no_method, 0, kNoMethod, 0});
  put(std::max(event.time, now_), false);
  pop(event.kind == Kind::Unwind ? EndKind::unwind : EndKind::leave);
}

// What the source tells of an event that is about to be put.
void ThreadLog::tell(const Event& event) {
  OpenBlock& block = *block_;
  if (event.detail != event::kAbsent) block.set_details(block.events());
  if (event.time >= now_) return;
  block.late.push_back({block.events(), base::elapsed(event.time, now_)});
  ++shared_->late;
}

// Leaves that the source does not tell: of all but the outermost `stay` calls.
void ThreadLog::leave_callees(std::size_t stay, base::Time time) {
  std::uint64_t made = 0;
  const auto note_made = [&] {
    const std::uint64_t in_block = std::exchange(made, 0);
    if (in_block == 0) return;
    block_->beside.push_back({block_->events(), Irregular::made, 0, kNoMethod, in_block});
  };
  while (calls_.depth() > stay) {
    if (block_->full()) note_made();
    make_room(time);
    put(std::max(time, now_), false);
    pop(EndKind::cut);
    ++made;
    ++shared_->account.cut;
    ++account_.cut;
  }
  if (block_->full()) {
    note_made();
    make_room(time);
  }
  note_made();
}

void ThreadLog::put_beside(Irregular sort, const Event& event, const slice::Names& names) {
  std::uint8_t marks = event.kind == Kind::Unwind ? kIrregularUnwind : 0;
  if (event.detail != event::kAbsent) marks |= kIrregularDetails;
  block_->beside.push_back({block_->events(), sort, marks, told_method(event, names),
                            base::ticks_between(now_, event.time)});
}

void ThreadLog::pop(EndKind how) {
  const Frame& call = calls_.innermost();
  OpenBlock& block = *block_;
  if (block_of(call.slice) != block.number) {
    ends_.push_back({call.slice, base::elapsed(call.start, now_), how});
    ++shared_->ends;
  }
  calls_.keep(calls_.depth() - 1);
  --shared_->account.open;
  const std::uint16_t caller = block.locals[local_].parent;
  if (caller != OpenBlock::kNone) local_ = caller;
  else local_ = block.return_to(local_, path(), shared_->paths.method(path()));
}

void ThreadLog::look(const event::Batch& batch, const Event& event) {
  if (event.kind != Kind::Monitor && event.kind != Kind::Wait) return;
  const auto edge = slice::span_edge(batch, event);
  if (!edge) return;
  const bool is_lock = edge->kind == slice::SpanKind::lock;
  base::Time& start = is_lock ? lock_ : object_;
  // One that is told to begin again goes on, as in slice::WorkClock.
  if (edge->begins() == (start != base::kNoTime)) return;
  start = edge->begins() ? event.time : base::kNoTime;
  change(event.time, status());
}

Status ThreadLog::status() const {
  if (lock_ != base::kNoTime) return Status::blocked;
  return object_ != base::kNoTime ? Status::waiting : Status::none;
}

void ThreadLog::change(base::Time at, Status to) {
  auto& all = changes();
  // What it does while nothing is open is nobody's.
  if (calls_.empty())
    while (!all.empty() && (now_ == base::kNoTime || all.back().at > now_)) all.pop_back();
  if (now_ != base::kNoTime && block_ != nullptr) at = std::max(at, block_->head.before);
  if (!all.empty()) at = std::max(at, all.back().at);
  if (!all.empty() && all.back().at == at) all.back().to = to;
  else all.push_back({at, to});
  if (all.size() < kMostChanges || calls_.empty()) return;
  make_room(now_);
  close_at(std::max(now_, at));
}

void ThreadLog::close() { close_at(now_); }

void ThreadLog::end(OpenBlock& block, base::Time last, std::vector<StatusChange>& left) const {
  block.locals[local_].self += base::elapsed(now_, last);
  block.head.last = last;
  const auto later = std::ranges::find_if(
      block.changes, [&](const StatusChange& change) { return change.at > last; });
  left.assign(later, block.changes.end());
  block.changes.erase(later, block.changes.end());
  if (block.head.fewest != 0) block.head.link = calls_[block.head.fewest - 1].slice;
}

std::optional<OpenBlock> ThreadLog::copy() const {
  if (block_ == nullptr) return std::nullopt;
  std::optional<OpenBlock> block(*block_);
  std::vector<StatusChange> left;
  end(*block, now_, left);
  if (!block->tells()) block.reset();
  return block;
}

void ThreadLog::close_at(base::Time last) {
  if (block_ == nullptr) return;
  OpenBlock& block = *block_;
  end(block, last, changes_);
  now_ = last;
  status_ = block.changes.empty() ? Status::none : block.changes.back().to;
  entered_ += block.codes.size();
  if (block.tells()) shared_->take(std::move(block_));
  block_.reset();
}

void ThreadLog::finish(base::Time last, const Unended& unended) {
  if (!calls_.empty()) {
    last = std::max(last, now_);
    if (last != now_ && block_ == nullptr) make_room(now_);
    for (std::size_t i = 0; i < calls_.depth(); ++i) {
      const std::uint64_t duration = base::elapsed(calls_[i].start, last);
      ends_.push_back({calls_[i].slice, duration, EndKind::end_of_trace});
      if (unended) unended(calls_[i].path, i, duration);
    }
    shared_->ends += calls_.depth();
    close_at(last);
  } else {
    close();
  }
  event::CallAccount& account = shared_->account;
  account_.unended = calls_.depth() + calls_.dropped();
  account.unended += account_.unended;
  account.open -= calls_.depth();
  calls_.clear();
}

std::vector<CallEnd> ThreadLog::take_ends() {
  std::vector<CallEnd> ends = copy_ends();
  shared_->ends -= ends_.size();
  ends_.clear();
  return ends;
}

std::vector<CallEnd> ThreadLog::copy_ends() const {
  std::vector<CallEnd> ends = ends_;
  std::ranges::sort(ends, {}, &CallEnd::call);
  return ends;
}

void CallLogs::close_all() {
  for (const auto& log : logs_) log->close();
}

void CallLogs::close_largest(std::size_t most_bytes) {
  std::size_t bytes = 0;
  std::vector<ThreadLog*> open;
  for (const auto& log : logs_) {
    bytes += log->bytes();
    if (log->bytes() != 0) open.push_back(log.get());
  }
  shrink_largest(std::move(open), bytes, most_bytes, [](ThreadLog& log) { log.close(); });
}

}  // namespace polytrace::store
