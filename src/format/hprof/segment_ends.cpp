// SPDX-License-Identifier: Apache-2.0
// Where segments end, and whether parts go on behind it (docs/formats/hprof.md, section 4).
#include "base/codes.hpp"
#include "format/hprof/framing.hpp"
#include "format/hprof/layout/big_endian.hpp"

namespace polytrace::format::hprof {

using base::Bytes;
using base::Code;
using base::Unexpected;

void Framing::tell_length(std::string_view what) {
  notices_.add(Code::events_differ, {.offset = window_.offset()}, 0, std::string(what));
}

// Behind a segment: a length that was not filled in is 0, one above 4 GiB lacks its upper bits.
base::result<bool> Framing::parts_go_on() {
  if (auto done = window_.want(kRecordHead); !done) return Unexpected(done.error());
  if (window_.view().size() < kRecordHead || is_heap(head().tag) || head().tag == Tag::heap_end)
    return false;
  if (auto done = window_.want(kAhead); !done) return Unexpected(done.error());
  const Bytes view = window_.view();
  // What the end of the file cuts is a record rather than a part, if there was a length.
  const bool is_whole = window_.ended() && lacks_length_;
  if (records_begin(view, is_whole) || !parts_begin(view, header_.id_size, false)) return false;
  tell_length("length not filled in");
  left_ = kOpenEnd;
  return true;
}

// Whether a part that begins in this segment goes on behind it. Else the segment ends, or the next
// one begins, with other parts, and it is the length of the part that is wrong.
base::result<bool> Framing::part_goes_on() {
  if (left_ > kLongPart) return false;
  if (auto done = window_.want(left_ + kAhead); !done) return Unexpected(done.error());
  const Bytes behind = window_.view().subspan(std::min<std::size_t>(left_, window_.view().size()));
  if (behind.size() < kRecordHead) return false;
  if (!is_heap(static_cast<Tag>(behind[0]))) return !records_begin(behind, window_.ended());
  const std::size_t length = load_big<std::uint32_t>(&behind[5]);
  const Bytes next = behind.subspan(kRecordHead, std::min(length, behind.size() - kRecordHead));
  return !next.empty() && !parts_begin(next, header_.id_size, next.size() == length);
}

// Of the part that begins here and is not whole in its segment; 0: it does not go on.
base::result<std::uint64_t> Framing::size_over_border() {
  const auto goes_on = part_goes_on();
  if (!goes_on) return Unexpected(goes_on.error());
  if (!*goes_on) return std::uint64_t{0};
  base::RawArray<std::byte> joined;
  const Bytes view = window_.view();
  auto at = static_cast<std::size_t>(left_);
  joined.append(view.first(at));
  if (!is_heap(static_cast<Tag>(view[at]))) joined.append(view.subspan(at));
  while (view.size() - at >= kRecordHead && is_heap(static_cast<Tag>(view[at]))) {
    const std::size_t length = load_big<std::uint32_t>(&view[at + 5]);
    const Bytes segment =
        view.subspan(at + kRecordHead, std::min(length, view.size() - at - kRecordHead));
    joined.append(segment);
    at += kRecordHead + segment.size();
  }
  const Measured measured = measure(Bytes(joined), header_.id_size);
  if (measured.what != Measured::What::whole) return std::uint64_t{0};
  if (measured.bytes > joined.size()) return window_.ended() ? 0 : measured.bytes;
  const Bytes after = Bytes(joined).subspan(static_cast<std::size_t>(measured.bytes));
  const bool fits =
      records_begin(after, window_.ended()) || parts_begin(after, header_.id_size, false);
  return fits ? measured.bytes : 0;
}

Framing::Done Framing::cross_border() {
  if (!is_heap(head().tag)) {
    tell_length("length not filled in");
    left_ = kOpenEnd;
    return {};
  }
  tell_length("a part goes on in the next segment");
  left_ = head().length;
  segment_heads_ += kRecordHead;
  window_.take(kRecordHead);
  return {};
}

// Of a part that is not read to its end: whether more of it comes.
base::result<bool> Framing::has_part_bytes() {
  if (left_ == 0) {
    const auto goes_on = part_goes_on();
    if (!goes_on || !*goes_on) return goes_on;
    if (auto done = cross_border(); !done) return Unexpected(done.error());
  }
  if (auto done = window_.want(1); !done) return Unexpected(done.error());
  return !window_.view().empty();
}

// The segment or the file ended inside a part of which so many bytes were read.
void Framing::tell_cut(std::uint64_t bytes) {
  notices_.add(left_ == 0 ? Code::field_past_end : Code::frame_truncated,
               {.offset = window_.offset() - bytes}, bytes);
  if (left_ != 0) lone_ = false;  // its end did not come
  left_ = 0;
}

// The next bytes of a part, fewer where it ends too early.
Framing::Done Framing::fill(base::RawArray<std::byte>& out, std::size_t count) {
  while (out.size() < count) {
    const auto more = has_part_bytes();
    if (!more) return Unexpected(more.error());
    if (!*more) return {};
    const std::size_t here =
        std::min<std::uint64_t>(std::min(count - out.size(), window_.view().size()), left_);
    out.append(window_.view().first(here));
    take_part(here);
  }
  return {};
}

}  // namespace polytrace::format::hprof
