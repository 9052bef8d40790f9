// SPDX-License-Identifier: Apache-2.0
#include "agent/common/stream/definitions.hpp"

#include <cstring>
#include <utility>

#include "agent/common/memory/pages.hpp"
#include "agent/common/tools/guard.hpp"

namespace polytrace::agent {
namespace {

using format::native::BlockHeader;
using format::native::ByteOutput;
using format::native::Content;
using format::native::kFromRecords;
using format::native::kMostVar;
using format::native::kUnit;
using format::native::SegmentContent;
using format::native::SegmentHeader;
using format::native::SegmentState;
using format::native::Site;

constexpr std::size_t kBeforeBody = 1 + 2 * kMostVar;
constexpr std::size_t kSiteBytes = 64 << 10;
constexpr std::uint32_t kUsualUnits = 16;

template <class T>
void publish(T& field, T value) {
  __atomic_store(&field, &value, __ATOMIC_RELEASE);
}

}  // namespace

bool Definitions::start(Segments& segments, const Clock& clock, std::uint32_t* links) {
  segments_ = &segments;
  clock_ = &clock;
  links_ = links;
  states_ = zeroed_pages<State>(segments.capacity() / kUnit + 1);
  sites_ = zeroed_pages<std::byte>(kSiteBytes);
  sites_before_ = zeroed_pages<std::byte>(kSiteBytes);
  return states_ != nullptr && sites_ != nullptr && sites_before_ != nullptr;
}

Definitions::Outcome Definitions::define(EncodeBody encode, base::Id subject, const void* details,
                                         const Lists& lists) {
  const Guard guard(mutex_);
  const std::uint64_t tick = clock_->now();
  bool fresh = false;
  if (current_ == kNoSegment) {
    fresh = true;
    if (!open(tick)) return Outcome::no_room;
  }
  if (append(tick, encode, subject, details, lists)) return Outcome::done;
  // A fresh one is as large as there is any.
  if (fresh) return Outcome::too_large;
  publish(segments_->header(current_)->state, SegmentState::full);
  full_.push(links_, std::exchange(current_, kNoSegment));
  if (!open(tick)) return Outcome::no_room;
  return append(tick, encode, subject, details, lists) ? Outcome::done : Outcome::too_large;
}

bool Definitions::open(std::uint64_t tick) {
  current_ = segments_->take(kUsualUnits, true);
  if (current_ == kNoSegment) return false;
  states_[current_] = {};
  states_[current_].written.tick = states_[current_].taken.tick = tick;
  SegmentHeader& header = *segments_->header(current_);
  header.content = SegmentContent::records;
  header.number = ++number_;
  header.base_tick = tick;
  publish(header.state, SegmentState::open);
  return true;
}

bool Definitions::append(std::uint64_t tick, EncodeBody encode, base::Id subject,
                         const void* details, const Lists& lists) {
  SegmentHeader& header = *segments_->header(current_);
  Part& part = states_[current_].written;
  std::byte* const begin = reinterpret_cast<std::byte*>(&header + 1) + part.bytes;
  const std::size_t left = header.units * kUnit - sizeof header - part.bytes;
  if (left <= kBeforeBody) return false;
  ByteOutput body(begin + kBeforeBody, left - kBeforeBody);
  encode(body, subject, details, lists);
  if (!body.ok()) return false;
  std::byte* at = begin;
  *at++ = static_cast<std::byte>(static_cast<unsigned>(format::native::Record::event) << 2);
  at = format::native::put_var(at, format::native::zig(tick - part.tick));
  at = format::native::put_var(at, body.size());
  std::memmove(at, body.begin(), body.size());
  at += body.size();
  part.bytes += static_cast<std::uint32_t>(at - begin);
  part.tick = tick;
  ++part.events;
  publish(header.bytes, part.bytes);
  waiting_.store(true, std::memory_order_release);
  return true;
}

Definitions::Outcome Definitions::add_site(const Site& site) {
  const Guard guard(mutex_);
  ByteOutput out(sites_ + site_bytes_, kSiteBytes - site_bytes_);
  format::native::put_site(out, site);
  if (!out.ok()) return Outcome::no_room;
  site_bytes_ += out.size();
  ++site_count_;
  waiting_.store(true, std::memory_order_release);
  return Outcome::done;
}

void Definitions::drain(BlockWriter& blocks, SegmentQueue& done) {
  if (!waiting()) return;
  SegmentQueue full;
  std::uint32_t current = kNoSegment;
  Part upto;
  {
    const Guard guard(mutex_);
    waiting_.store(false, std::memory_order_relaxed);
    full = full_.take_all();
    current = current_;
    if (current != kNoSegment) upto = states_[current].written;
  }
  for (std::uint32_t segment = full.pop(links_); segment != kNoSegment;
       segment = full.pop(links_)) {
    drain_segment(blocks, segment, states_[segment].written);
    done.push(links_, segment);
  }
  if (current != kNoSegment) drain_segment(blocks, current, upto);
  drain_sites(blocks);
}

// The bytes as they are: the block begins at the tick that the record before ended with.
void Definitions::drain_segment(BlockWriter& blocks, std::uint32_t segment, const Part& upto) {
  Part& taken = states_[segment].taken;
  if (taken.bytes == upto.bytes) return;
  const SegmentHeader& from = *segments_->header(segment);
  BlockHeader header;
  header.events = upto.events - taken.events;
  header.first_tick = taken.tick;
  header.last_tick = upto.tick;
  header.segment = from.number | kFromRecords;
  header.words_before = taken.bytes;
  header.words_after = upto.bytes;
  const auto* const records = reinterpret_cast<const std::byte*>(&from + 1);
  blocks.put(header, {records + taken.bytes, upto.bytes - taken.bytes});
  segments_->status().definitions.fetch_add(header.events, std::memory_order_relaxed);
  taken = upto;
}

void Definitions::drain_sites(BlockWriter& blocks) {
  constexpr std::size_t kBefore = kMostVar;
  std::byte payload[kBefore + kSiteBytes];
  std::size_t size = 0;
  std::uint32_t count = 0;
  {
    const Guard guard(mutex_);
    size = std::exchange(site_bytes_, 0);
    count = std::exchange(site_count_, 0);
    std::swap(sites_, sites_before_);
  }
  if (count == 0) return;
  std::byte* const at = format::native::put_var(payload, count);
  std::memcpy(at, sites_before_, size);
  BlockHeader header;
  header.content = Content::sites;
  header.first_tick = header.last_tick = clock_->now();
  blocks.put(header, {payload, static_cast<std::size_t>(at - payload) + size});
}

}  // namespace polytrace::agent
