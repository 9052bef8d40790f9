// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/write/block_output.hpp"

#include <algorithm>

#include "format/monoblock/layout/state.hpp"

namespace polytrace::format::monoblock {
namespace {

constexpr std::size_t kReadyBytes = 256 * 1024;
constexpr std::uint64_t kHeaderBytes = 6;

}  // namespace

ClockPoint BlockOutput::point_at(std::uint64_t counter) const {
  constexpr std::int64_t kMicrosecond = 1000;
  const ClockPoint start = start_.value_or(ClockPoint{counter, 0});
  const auto passed = static_cast<std::int64_t>(counter - start.counter) / kMicrosecond;
  const std::int64_t time = static_cast<std::int64_t>(start.time) + passed;
  return {counter, static_cast<std::uint64_t>(
                       std::clamp<std::int64_t>(time, 0, std::int64_t{kLastMicrosecond}))};
}

void BlockOutput::begin(std::uint64_t counter) {
  if (begun_) return;
  begun_ = true;
  if (!start_) start_ = ClockPoint{counter, 0};
  append_intro();
}

void BlockOutput::open(BlockCode code, std::uint64_t counter) {
  close();
  begin(counter);
  if (!directed_ && code != BlockCode::directives) append_directives();
  directed_ = true;
  open_ = code;
}

void BlockOutput::close() {
  if (!open_) return;
  const BlockCode code = *open_;
  open_.reset();
  append(code, content_.view());
  content_.clear();
}

void BlockOutput::append(BlockCode code, base::Bytes content) {
  ready_.fixed(static_cast<std::uint16_t>(code));
  ready_.fixed(static_cast<std::uint32_t>(kHeaderBytes + content.size()));
  ready_.bytes(content);
}

void BlockOutput::append_intro() {
  base::Appender intro;
  append_number(intro, 1);
  intro.zero_terminated("mono");
  append_number(intro, flags_);
  append_number(intro, start_->counter);
  append_number(intro, start_->time);
  append(BlockCode::intro, intro.view());
}

void BlockOutput::append_directives() {
  clock(*start_);
  number(static_cast<std::uint64_t>(Directive::packed_events));
  number(0);
  clock(*start_);
  append(BlockCode::directives, content_.view());
  content_.clear();
}

base::result<void> BlockOutput::flush_some() {
  if (ready_.size() < kReadyBytes) return {};
  auto done = sink_->write(ready_.view());
  ready_.clear();
  return done;
}

base::result<void> BlockOutput::finish() {
  close();
  if (auto done = sink_->write(ready_.view()); !done) return done;
  ready_.clear();
  return sink_->commit();
}

}  // namespace polytrace::format::monoblock
