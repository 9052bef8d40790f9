// SPDX-License-Identifier: Apache-2.0
#include "exports/jfr/jfr.hpp"

#include <span>

namespace polytrace::exports {

using namespace jfr;
using base::Time;
using slice::Names;

void JfrMaker::write_allocated() {
  const Time last = latest();
  for (std::uint32_t thread = 0; thread < allocated_.size(); ++thread) {
    if (allocated_[thread] == 0) continue;
    const std::size_t event = begin_event(type::allocated_t, last);
    out_.number(allocated_[thread]);
    out_.number(pools_.thread(thread));
    out_.end(event);
  }
}

base::result<void> JfrMaker::end_chunk(const Names& names) {
  constexpr std::uint64_t kHeader = 68, kTicksPerSecond = 1000000000;
  if (first_ > last_) first_ = last_ = 0;
  Bytes checkpoint;
  pools_.write(checkpoint, first_, names);
  const std::uint64_t events = kHeader + metadata_.size();
  const Time wall = job_.origin.wall_of(first_);
  Bytes header;
  header.append(std::string_view("FLR\0", 4));
  header.big_endian(2, 2);
  header.big_endian(0, 2);
  header.big_endian(events + out_.size() + checkpoint.size(), 8);
  header.big_endian(events + out_.size(), 8);
  header.big_endian(kHeader, 8);
  header.big_endian(static_cast<std::uint64_t>(wall == base::kNoTime ? first_ : wall), 8);
  header.big_endian(length(first_, last_), 8);
  header.big_endian(static_cast<std::uint64_t>(first_), 8);
  header.big_endian(kTicksPerSecond, 8);
  header.big_endian(1, 4);  // compressed integers
  for (const Bytes* part : {&header, &metadata_, &out_, &checkpoint})
    if (auto written = job_.sink.write(std::as_bytes(std::span(part->view()))); !written)
      return written;
  out_.clear();
  pools_.begin_chunk();
  first_ = std::numeric_limits<Time>::max();
  last_ = std::numeric_limits<Time>::min();
  ++chunks_;
  return {};
}

base::result<void> JfrMaker::complete(const Names& names) {
  write_allocated();
  account_.limits = pools_.limits();
  copies_.tell(account_);
  const Time last = latest();
  for (const std::string& sentence : account_.sentences()) {
    const std::size_t start = begin_event(type::account_t, last);
    out_.text(sentence);
    out_.end(start);
  }
  return out_.size() == 0 && chunks_ != 0 ? base::result<void>{} : end_chunk(names);
}

std::unique_ptr<TimelineMaker> make_jfr(const TimelineJob& job) {
  return std::make_unique<TimelineWalk<JfrMaker>>(job);
}

}  // namespace polytrace::exports
