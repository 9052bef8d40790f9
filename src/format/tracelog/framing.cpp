// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/framing.hpp"

#include "base/codes.hpp"
#include "base/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace polytrace::format::tracelog {
namespace {

using base::Code;

// A chunk names fewer threads than a batch can: a line that names one has 14 bytes or more.
constexpr std::size_t kChunk = 256 * 1024;

}  // namespace

std::string_view Framing::rest() const {
  return {reinterpret_cast<const char*>(buffer_.data()) + at_, buffer_.size() - at_};
}

base::result<bool> Framing::next(event::Chunk& chunk) {
  for (;;) {
    watch_.begin();
    if (const std::size_t bytes = take_lines(); bytes > 0) return give(chunk, bytes), true;
    std::size_t end = 0;
    const bool ends = next_line(0, end);
    if (ends || (!rest().empty() && too_long(left_out_ + rest().size()))) {
      leave_out(ends ? end : rest().size(), ends);
    } else if (source_ended_) {
      return finish(), false;
    } else if (auto done = read_more(); !done) {
      return base::Unexpected(done.error());
    }
  }
}

// Whether there is a line from `from` on; it ends before `end`.
bool Framing::next_line(std::size_t from, std::size_t& end) {
  const std::string_view all = rest();
  const std::size_t begin = from == 0 ? searched_ : from;
  const void* const found = std::memchr(all.data() + begin, '\n', all.size() - begin);
  if (found == nullptr) {
    if (from == 0) searched_ = all.size();
    return false;
  }
  end = static_cast<std::size_t>(static_cast<const char*>(found) - all.data()) + 1;
  return true;
}

// A byte order mark is no part of the first line.
std::size_t Framing::mark_bytes() const {
  return offset_ == 0 && rest().starts_with(base::kByteOrderMark) ? base::kByteOrderMark.size() : 0;
}

std::size_t Framing::take_lines() {
  std::size_t taken = 0;
  if (left_out_ != 0) return 0;
  const std::string_view all = rest();
  const std::size_t most = std::min(all.size(), kChunk);
  for (std::size_t end = 0; taken < most && !watch_.full(); taken = end) {
    end = quick_lines_end(taken, most);
    if (end != taken) continue;
    if (!next_line(taken, end) || too_long(end - taken)) break;
    const std::size_t begin = taken == 0 ? mark_bytes() : taken;
    watch_.see(all.substr(begin, end - begin), begin, offset_ + begin, number_ + watch_.lines());
  }
  return taken;
}

std::size_t Framing::quick_lines_end(std::size_t from, std::size_t most) {
  if (!quick_) return from;
  const char* const begin = rest().data();
  return static_cast<std::size_t>(watch_.see_quick(begin + from, begin + most) - begin);
}

void Framing::give(event::Chunk& chunk, std::size_t bytes) {
  const std::size_t mark = mark_bytes();
  chunk.first_frame = number_;
  chunk.bytes.clear();
  chunk.bytes.append(std::span(buffer_.data() + at_, bytes));
  number_ += watch_.lines();
  chunk.context = watch_.end(rest().substr(mark, bytes - mark));
  chunk.offset = offset_;
  chunk.sequence = chunks_++;
  at_ += bytes;
  offset_ += bytes;
  searched_ = 0;
}

// Of a line longer than the limit.
void Framing::leave_out(std::size_t bytes, bool line_ends) {
  left_out_ += bytes;
  at_ += bytes;
  offset_ += bytes;
  searched_ = 0;
  if (!line_ends) return;
  notices_.add(Code::line_malformed,
               {.offset = offset_ - left_out_, .line = static_cast<std::uint32_t>(number_)},
               left_out_, fmt::format("longer than {} bytes", limits_.frame_bytes));
  left_out_ = 0;
  ++number_;
}

base::result<void> Framing::read_more() {
  buffer_.drop_front(at_);
  at_ = 0;
  const std::size_t room = piece_.next();
  const auto got = source_.read(std::span(buffer_.room(room + kQuickSlack), room));
  if (!got) return base::Unexpected(got.error());
  source_ended_ = *got == 0;
  buffer_.grew_to(buffer_.data() + buffer_.size() + *got);
  std::fill_n(buffer_.end(), kQuickSlack, std::byte{0});
  return {};
}

// A line without its end may be cut within a number: it is not believed.
void Framing::finish() {
  if (std::exchange(finished_, true)) return;
  searched_ = 0;
  const std::uint64_t bytes = left_out_ + rest().size();
  const base::Place place{.offset = offset_ - left_out_,
                          .line = static_cast<std::uint32_t>(number_)};
  if (bytes > 0) notices_.add(Code::frame_truncated, place, bytes, "line without an end");
  offset_ += rest().size();
  at_ = buffer_.size();
  left_out_ = 0;
  if (auto fault = source_.end_fault())
    notices_.add(fault->code, fault->place, 0, std::move(fault->detail));
}

}  // namespace polytrace::format::tracelog
