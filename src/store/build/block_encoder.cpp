// SPDX-License-Identifier: Apache-2.0
#include "store/build/block_encoder.hpp"

#include <algorithm>
#include <cstring>

#include "base/frames/svb.hpp"
#include "store/file/status_clock.hpp"

namespace polytrace::store {
namespace {

using base::append_varint;
using Local = OpenBlock::Local;

template <class T>
void append_plain(std::span<const T> items, std::string& out) {
  out.append(reinterpret_cast<const char*>(items.data()), items.size_bytes());
}

// One block on its way into a payload.
class BlockWriter {
 public:
  BlockWriter(const OpenBlock& block, std::string& payload, Plain plain)
      : block_(block), payload_(payload), plain_(plain) {}

  EncodedBlock write();

 private:
  void number_locals();
  void split_waits();
  void put_column(BlockColumn number, base::Bytes raw);
  void put_column(BlockColumn number) { put_column(number, std::as_bytes(std::span(raw_))); }
  void put_times();
  void put_directions();
  void put_codes();
  void put_local_paths();
  void put_sums();
  void put_unwinds();
  void put_beside();
  void put_late();
  void put_details();
  void put_waits();
  void append_all(const std::string& bodies, std::string& payload) const;
  std::uint64_t source_events() const;
  std::vector<PathSum> sums() const;
  std::vector<PathMethod> methods() const;

  const Local& local(std::size_t number) const { return block_.locals[order_[number]]; }
  // A call's time in what no stack is there for is nobody's.
  std::uint64_t self(std::size_t number) const {
    return local(number).path == kEmptyPath ? 0 : local(number).self;
  }

  const OpenBlock& block_;
  std::string& payload_;
  Plain plain_;
  BlockHead head_;
  std::vector<BlockColumnHead> columns_;
  std::string bodies_, plain_bodies_;
  std::string raw_;                        // of the column at hand
  std::vector<std::uint16_t> order_;       // locals as they are numbered in the end
  std::vector<std::uint16_t> numbers_;     // of each local
  std::vector<StatusClock::Split> waits_;  // by number; empty: none
};

EncodedBlock BlockWriter::write() {
  head_ = block_.head;
  number_locals();
  split_waits();
  put_times();
  put_directions();
  put_codes();
  put_local_paths();
  put_sums();
  put_unwinds();
  put_beside();
  put_late();
  put_details();
  put_waits();
  head_.events = block_.events();
  head_.enters = static_cast<std::uint32_t>(block_.codes.size());
  head_.locals = static_cast<std::uint32_t>(block_.locals.size());
  head_.columns = static_cast<std::uint32_t>(columns_.size());
  append_all(bodies_, payload_);
  EncodedBlock made{head_, block_.number, source_events(), sums(), methods()};
  if (plain_ == Plain::unwanted) return made;
  for (BlockColumnHead& column : columns_) {
    column.coding = static_cast<std::uint8_t>(base::Coding::plain);
    column.stored = column.raw;
  }
  append_all(plain_bodies_, made.plain);
  return made;
}

void BlockWriter::append_all(const std::string& bodies, std::string& payload) const {
  payload.reserve(payload.size() + sizeof head_ + columns_.size() * sizeof columns_[0] +
                  bodies.size());
  append_plain(std::span<const BlockHead>(&head_, 1), payload);
  append_plain(std::span<const BlockColumnHead>(columns_), payload);
  payload += bodies;
}

// Those of the beginning that the block returns to come first, outermost first.
void BlockWriter::number_locals() {
  for (std::uint16_t at = 0; at != OpenBlock::kNone; at = block_.locals[at].parent)
    order_.push_back(at);
  std::ranges::reverse(order_);
  head_.local = static_cast<std::uint16_t>(order_.size() - 1);
  numbers_.assign(block_.locals.size(), OpenBlock::kNone);
  for (std::size_t i = 0; i < order_.size(); ++i)
    numbers_[order_[i]] = static_cast<std::uint16_t>(i);
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    if (numbers_[i] != OpenBlock::kNone) continue;
    numbers_[i] = static_cast<std::uint16_t>(order_.size());
    order_.push_back(static_cast<std::uint16_t>(i));
  }
}

void BlockWriter::split_waits() {
  if (block_.changes.empty()) return;
  head_.flags |= kHasWaits;
  waits_.resize(block_.locals.size());
  StatusClock clock(block_.changes, head_.before);
  base::Time time = head_.before;
  std::size_t local = 0;
  std::size_t call = 0;
  auto larger = block_.larger.begin();
  const auto pass = [&](base::Time to) {
    const auto split = clock.upto(to);
    StatusClock::Split& sum = waits_[numbers_[local]];
    if (block_.locals[local].path == kEmptyPath) return;
    sum.blocked += split.blocked;
    sum.waiting += split.waiting;
  };
  for (std::size_t i = 0; i < block_.times.size(); ++i) {
    const std::uint64_t told = block_.times[i];
    const std::uint64_t difference = told == base::kSvbLarger ? *larger++ : told;
    pass(time = base::tick_after(time, difference));
    const bool enters = (block_.directions[i / 64] >> (i % 64) & 1) != 0;
    local = enters ? block_.codes[call++] : block_.locals[local].parent;
  }
  pass(head_.last);
}

void BlockWriter::put_column(BlockColumn number, base::Bytes raw) {
  if (raw.empty()) return;
  const std::size_t before = bodies_.size();
  const base::Coding coding = base::append_coded(raw, bodies_);
  columns_.push_back({static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(coding), 0,
                      static_cast<std::uint32_t>(bodies_.size() - before),
                      static_cast<std::uint32_t>(raw.size())});
  if (plain_ == Plain::wanted) append_plain(raw, plain_bodies_);
}

void BlockWriter::put_times() {
  std::string lengths;
  raw_.clear();
  base::encode_svb({block_.times.data(), block_.times.size()}, lengths, raw_);
  for (const std::uint64_t larger : block_.larger) append_varint(larger, raw_);
  put_column(BlockColumn::time_lengths, std::as_bytes(std::span(lengths)));
  put_column(BlockColumn::times);
}

void BlockWriter::put_directions() {
  const auto all = std::as_bytes(std::span(block_.directions.data(), block_.directions.size()));
  put_column(BlockColumn::directions, all.first((block_.times.size() + 7) / 8));
}

void BlockWriter::put_codes() {
  raw_.clear();
  const bool wide = block_.locals.size() > 256;
  raw_.resize(block_.codes.size() * (wide ? 2 : 1));
  char* at = raw_.data();
  for (const std::uint16_t code : block_.codes) {
    const std::uint16_t number = numbers_[code];
    std::memcpy(at, &number, wide ? 2 : 1);
    at += wide ? 2 : 1;
  }
  put_column(BlockColumn::codes);
}

void BlockWriter::put_local_paths() {
  raw_.clear();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::uint16_t parent = local(i).parent;
    const std::size_t number = parent == OpenBlock::kNone ? i : numbers_[parent];
    const std::uint32_t base = parent == OpenBlock::kNone ? 0 : block_.locals[parent].path;
    append_varint(i - number, raw_);
    append_varint(base::zigzag(std::int64_t{local(i).path} - std::int64_t{base}), raw_);
  }
  put_column(BlockColumn::local_paths);
}

void BlockWriter::put_sums() {
  raw_.clear();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    append_varint(local(i).calls, raw_);
    append_varint(self(i), raw_);
    if (waits_.empty()) continue;
    append_varint(waits_[i].blocked, raw_);
    append_varint(waits_[i].waiting, raw_);
  }
  put_column(BlockColumn::sums);
}

void BlockWriter::put_unwinds() {
  if (block_.unwinds.empty()) return;
  head_.flags |= kHasUnwinds;
  raw_.clear();
  std::uint32_t before = 0;
  for (const std::uint32_t event : block_.unwinds) {
    append_varint(event - before, raw_);
    before = event;
  }
  put_column(BlockColumn::unwinds);
}

void BlockWriter::put_beside() {
  if (block_.beside.empty()) return;
  head_.flags |= kHasIrregular;
  raw_.clear();
  std::uint32_t before = 0;
  for (const BesideEvent& beside : block_.beside) {
    append_varint(beside.event - before, raw_);
    before = beside.event;
    raw_.push_back(static_cast<char>(static_cast<std::uint8_t>(beside.sort) | beside.marks));
    if (beside.sort == Irregular::no_method) continue;
    if (beside.sort == Irregular::made) {
      append_varint(beside.value, raw_);
      continue;
    }
    append_varint(base::zigzag(static_cast<std::int64_t>(beside.value)), raw_);
    append_varint(beside.method == kNoMethod ? 0 : std::uint64_t{beside.method} + 1, raw_);
  }
  put_column(BlockColumn::irregular);
}

void BlockWriter::put_late() {
  if (block_.late.empty()) return;
  head_.flags |= kHasLate;
  raw_.clear();
  std::uint32_t before = 0;
  for (const LateEvent& late : block_.late) {
    append_varint(late.event - before, raw_);
    append_varint(late.earlier, raw_);
    before = late.event;
  }
  put_column(BlockColumn::late);
}

void BlockWriter::put_details() {
  if (block_.details.empty()) return;
  head_.flags |= kHasDetails;
  const auto all = std::as_bytes(std::span(block_.details));
  put_column(BlockColumn::details,
             all.first(std::min<std::size_t>(all.size(), (block_.times.size() + 7) / 8)));
}

void BlockWriter::put_waits() {
  if (block_.changes.empty()) return;
  raw_.clear();
  base::Time time = head_.before;
  std::uint32_t event = 0;
  std::uint32_t before = 0;
  auto larger = block_.larger.begin();
  for (const StatusChange& change : block_.changes) {
    for (; event < block_.events(); ++event) {
      const bool is_large = block_.times[event] == base::kSvbLarger;
      const std::uint64_t told = block_.times[event];
      const base::Time next = base::tick_after(time, is_large ? *larger : told);
      if (next > change.at) break;
      time = next;
      if (is_large) ++larger;
    }
    append_varint(event - before, raw_);
    append_varint(base::elapsed(time, change.at), raw_);
    raw_.push_back(static_cast<char>(change.to));
    before = event;
  }
  put_column(BlockColumn::waits);
}

std::uint64_t BlockWriter::source_events() const {
  std::uint64_t events = block_.events();
  for (const BesideEvent& beside : block_.beside) {
    if (beside.sort == Irregular::made) events -= beside.value;
    else if (beside.sort != Irregular::no_method) ++events;
  }
  return events;
}

std::vector<PathSum> BlockWriter::sums() const {
  std::vector<PathSum> all;
  all.reserve(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    PathSum sum{local(i).path, local(i).calls, self(i)};
    if (!waits_.empty()) {
      sum.blocked = waits_[i].blocked;
      sum.waiting = waits_[i].waiting;
    }
    if (sum.calls != 0 || sum.self != 0) all.push_back(sum);
  }
  return all;
}

std::vector<PathMethod> BlockWriter::methods() const {
  std::vector<PathMethod> all;
  all.reserve(order_.size());
  for (const Local& local : block_.locals)
    if (local.method != kNoMethod) all.push_back({local.path, local.method});
  return all;
}

}  // namespace

EncodedBlock encode_block(const OpenBlock& block, std::string& payload, Plain plain) {
  return BlockWriter(block, payload, plain).write();
}

void append_ends(std::span<const CallEnd> ends, std::string& payload) {
  std::vector<std::uint64_t> blocks, calls, durations;
  std::string how;
  std::uint64_t before = 0;
  for (const CallEnd& end : ends) {
    blocks.push_back(block_of(end.call) - before);
    before = block_of(end.call);
    calls.push_back(call_of(end.call));
    durations.push_back(end.duration);
    how.push_back(static_cast<char>(end.how));
  }
  base::append_svb(blocks, payload);
  base::append_svb(calls, payload);
  base::append_svb(durations, payload);
  payload += how;
}

void append_paths(const PathTable& paths, std::uint32_t first, std::uint32_t count,
                  std::string& payload) {
  std::vector<std::uint64_t> parents, methods;
  for (std::uint32_t path = first; path < first + count; ++path) {
    parents.push_back(path - paths.parent(path));
    methods.push_back(paths.method(path) == kNoMethod ? 0 : std::uint64_t{paths.method(path)} + 1);
  }
  append_varint(first, payload);
  append_varint(count, payload);
  base::append_svb(parents, payload);
  base::append_svb(methods, payload);
}

}  // namespace polytrace::store
