// SPDX-License-Identifier: Apache-2.0
#include "store/ask/events/slice_scan.hpp"
#include "store/ask/calls/range_sums.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "store/ask/calls/range_sums.hpp"
#include "store/ask/one_call.hpp"

namespace polytrace::store {
namespace {

using base::Code;
using base::fail;
using base::Time;
using base::Unexpected;

}  // namespace

SliceScan::SliceScan(const CallFrames& frames, Range range, const MethodSet* methods,
                     SelfTimes selfs)
    : frames_(frames), range_(std::move(range)), selfs_(selfs) {
  if (methods != nullptr) methods_.emplace(frames, *methods);
}

base::result<const SlicePage*> SliceScan::next() {
  while (done_ == slices_.size()) {
    slices_.clear();
    done_ = 0;
    const auto more = next_slices();
    if (!more) return Unexpected(more.error());
    if (!*more) return nullptr;
  }
  fill_page();
  return &page_;
}

// False: there is nothing left.
base::result<bool> SliceScan::next_slices() {
  if (range_.stop != nullptr && *range_.stop) return fail(Code::limit_exceeded, "stopped");
  if (at_ < end_ && methods_) {
    const auto named = methods_->next(thread_, at_, end_);
    if (!named) return Unexpected(named.error());
    at_ = *named;
  }
  const bool is_new = at_ == end_;
  if (is_new && !next_thread()) return false;
  auto added = is_new ? add_open_before() : scan_block(at_++);
  if (!added) return Unexpected(added.error());
  return true;
}

// Turns to the next thread that has blocks in the range.
bool SliceScan::next_thread() {
  const bool all = range_.threads.empty();
  const std::size_t count = all ? frames_.threads() : range_.threads.size();
  ends_ = nullptr;
  known_.reset();
  while (next_thread_ < count) {
    const std::size_t place = next_thread_++;
    thread_ = all ? static_cast<std::uint32_t>(place) : range_.threads[place];
    if (thread_ >= frames_.threads()) continue;
    const auto met = frames_.met_by(thread_, range_.from, range_.to);
    at_ = met.begin;
    end_ = met.end;
    if (at_ != end_) return true;
  }
  return false;
}

base::result<void> SliceScan::add_open_before() {
  const auto open = open_calls_before(frames_, thread_, range_.from);
  if (!open) return Unexpected(open.error());
  SliceId caller = kNoSlice;
  std::uint32_t depth = 0;
  for (const OpenCall& call : *open) {
    if (is_asked(call.path)) {
      const auto found = find_call(frames_, call.call);
      if (!found) return Unexpected(found.error());
      slices_.push_back(
          {call.call, call.start, found->end, call.path, depth, caller, found->how, kNoSelf});
      if (auto told = tell_self(slices_.back()); !told) return told;
    }
    caller = call.call;
    ++depth;
  }
  return {};
}

base::result<void> SliceScan::know_stack(std::uint32_t place) {
  if (known_ == place) return {};
  stack_.clear();
  if (place == 0) return {};
  const auto open = open_calls_behind(frames_, thread_, place - 1);
  if (!open) return Unexpected(open.error());
  for (const OpenCall& call : *open) stack_.push_back(call.call);
  return {};
}

base::result<void> SliceScan::scan_block(std::uint32_t place) {
  const auto read = frames_.block(thread_, place);
  if (!read) return Unexpected(read.error());
  const CallBlock& block = **read;
  if (auto known = know_stack(place); !known) return known;
  if (stack_.size() != block.head().open)
    return fail(Code::value_unexpected, "open calls of a block");
  find_hows(block);
  walk(block, frames_.blocks(thread_)[place].number);
  known_ = place + 1;
  return end_late(entered_.size());
}

// How each leave of the block came about.
void SliceScan::find_hows(const CallBlock& block) {
  hows_.clear();
  const auto is_made = [](const BesideEvent& beside) { return beside.sort == Irregular::made; };
  if (block.unwinds().empty() && std::ranges::none_of(block.beside(), is_made)) return;
  hows_.assign(block.head().events, EndKind::leave);
  for (const BesideEvent& beside : block.beside()) {
    if (!is_made(beside)) continue;
    const std::uint32_t end = std::min(beside.event, block.head().events);
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(beside.value, end));
    std::fill_n(hows_.begin() + (end - count), count, EndKind::cut);
  }
  for (const std::uint32_t event : block.unwinds())
    if (event < hows_.size()) hows_[event] = EndKind::unwind;
}

// Calls that the block enters become slices; entered_ has those that it leaves open.
void SliceScan::walk(const CallBlock& block, std::uint64_t number) {
  SliceId next = slice_id(number, 0);
  Time time = block.head().before;
  entered_.clear();
  for (std::uint32_t event = 0; event < block.head().events; ++event) {
    time = base::tick_after(time, block.difference(event));
    if (block.enters(event)) {
      const std::uint32_t path = block.locals()[block.code(call_of(next))].path;
      entered_.push_back(slices_.size());
      slices_.push_back({next, time, time, path, static_cast<std::uint32_t>(stack_.size()),
                         stack_.empty() ? kNoSlice : stack_.back(), EndKind::leave, 0});
      stack_.push_back(next++);
    } else if (!stack_.empty()) {
      stack_.pop_back();
      if (entered_.empty()) continue;  // begun before the block
      Slice& ended = slices_[entered_.back()];
      entered_.pop_back();
      const std::uint64_t duration = base::elapsed(ended.start, time);
      ended.end = time;
      if (!hows_.empty()) ended.how = hows_[event];
      ended.self = duration - ended.self;  // which was that of its callees
      if (!entered_.empty()) slices_[entered_.back()].self += duration;
    }
  }
}

base::result<void> SliceScan::end_late(std::size_t left) {
  if (left != 0 && ends_ == nullptr) {
    auto ends = frames_.ends(thread_);
    if (!ends) return Unexpected(ends.error());
    ends_ = std::move(*ends);
  }
  for (const std::size_t place : entered_) {
    Slice& slice = slices_[place];
    const LateEnd end = end_of(frames_, thread_, *ends_, slice.call, slice.start);
    slice.end = base::tick_after(slice.start, end.duration);
    slice.how = end.how;
  }
  std::vector<SliceId> late;
  for (const std::size_t place : entered_) late.push_back(slices_[place].call);
  keep_asked();
  for (Slice& slice : slices_)
    if (std::ranges::binary_search(late, slice.call))
      if (auto told = tell_self(slice); !told) return told;
  return {};
}

// Of a call that is not in one block: nobody else has its path while it lasts.
base::result<void> SliceScan::tell_self(Slice& slice) const {
  slice.self = kNoSelf;
  if (selfs_ == SelfTimes::left_out || frames_.paths().is_merged(slice.path)) return {};
  const auto sums =
      range_sums(frames_, {.from = slice.start, .to = slice.end, .threads = {thread_}});
  if (!sums) return Unexpected(sums.error());
  const auto own = std::ranges::lower_bound(sums->paths(), slice.path, {}, &PathSum::path);
  const bool any = own != sums->paths().end() && own->path == slice.path;
  slice.self = any ? own->self : 0;
  return {};
}

// What was open before the range is there already.
void SliceScan::keep_asked() {
  std::erase_if(slices_, [this](const Slice& slice) {
    return slice.start < range_.from || slice.start >= range_.to || !is_asked(slice.path);
  });
}

void SliceScan::fill_page() {
  const std::size_t end = std::min(slices_.size(), done_ + kPageCalls);
  for (auto* const column : {&calls_, &callers_, &own_}) column->clear();
  for (auto* const column : {&starts_, &stops_}) column->clear();
  for (auto* const column : {&paths_, &depths_}) column->clear();
  ended_.clear();
  for (; done_ != end; ++done_) {
    const Slice& slice = slices_[done_];
    calls_.push_back(slice.call);
    callers_.push_back(slice.caller);
    starts_.push_back(slice.start);
    stops_.push_back(slice.end);
    paths_.push_back(slice.path);
    depths_.push_back(slice.depth);
    ended_.push_back(slice.how);
    if (selfs_ == SelfTimes::told) own_.push_back(slice.self);
  }
  page_ = {thread_, calls_, starts_, stops_, paths_, depths_, callers_, ended_, own_};
}

base::result<void> scan_slices(const CallFrames& frames, const Range& range,
                               const MethodSet* methods, const SliceVisitor& visit) {
  SliceScan scan(frames, range, methods);
  for (;;) {
    const auto page = scan.next();
    if (!page) return Unexpected(page.error());
    if (*page == nullptr) return {};
    visit(**page);
  }
}

}  // namespace polytrace::store
