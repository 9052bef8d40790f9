// SPDX-License-Identifier: Apache-2.0
#include "format/hprof/framing.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "format/hprof/layout/big_endian.hpp"

namespace polytrace::format::hprof {
namespace {

using base::Bytes;
using base::Code;
using base::Unexpected;

constexpr std::size_t kHead = 9;                  // of a record
constexpr std::size_t kEnough = 1024 * 1024;      // bytes of a chunk
constexpr std::size_t kEnoughEvents = 4096;       // of a chunk of records
constexpr std::uint64_t kLongPart = 1024 * 1024;  // longer arrays come in pieces

bool is_heap(Tag tag) { return tag == Tag::heap_dump || tag == Tag::heap_segment; }

}  // namespace

Framing::Framing(base::Source& source, const Header& header, const event::ReadOptions& options)
    : header_(header),
      limits_(options.limits),
      source_(source),
      window_(source, header.bytes),
      definitions_(header.id_size) {
  classes_.sizes = Sizes::of(header.id_size);
}

base::result<bool> Framing::next(event::Chunk& chunk) {
  chunk.bytes.clear();
  chunk.offset = window_.offset();
  chunk.context.reset();
  while (in_segment_) {
    const auto filled = read_parts(chunk);
    if (!filled) return filled;
    if (*filled) break;
  }
  if (chunk.context == nullptr) {
    auto said = std::make_shared<event::Batch>();
    if (chunks_ == 0) tell_file(*said);
    if (auto done = read_records(*said); !done) return Unexpected(done.error());
    if (said->tally.frames == 0 && said->events.empty() && !in_segment_) return false;
    auto made = std::make_shared<Context>();
    made->said = std::move(said);
    chunk.context = std::move(made);
  }
  chunk.sequence = chunks_++;
  return true;
}

// --- records ---

void Framing::tell_file(event::Batch& said) const {
  const std::uint16_t nobody = said.thread_slot(base::kNoId);
  event::Process process;
  process.pointer_size = static_cast<std::uint8_t>(header_.id_size);
  said.add(0, nobody, base::kNoId, process);
  event::Clock clock;
  clock.wall = header_.start;
  said.add(0, nobody, base::kNoId, clock);
  said.tally.frame_bytes += header_.bytes;
}

Framing::Head Framing::head() const {
  constexpr base::Time kNanoseconds = 1000;
  const std::byte* const at = window_.view().data();
  return {static_cast<Tag>(at[0]), load_big<std::uint32_t>(at + 1) * kNanoseconds,
          load_big<std::uint32_t>(at + 5)};
}

// Up to the next heap dump, the end, or enough of them.
Framing::Done Framing::read_records(event::Batch& said) {
  const std::uint64_t begin = window_.offset();
  if (open_ && lone_) end_dump(said);
  while (!ended_ && said.events.size() < kEnoughEvents && window_.offset() - begin < kEnough) {
    if (auto done = window_.want(kHead); !done) return done;
    if (window_.view().size() < kHead) {
      tell_truncated();
      tell_end();
      return {};
    }
    if (is_heap(head().tag)) return begin_segment(head()), Done{};
    if (auto done = read_record(said); !done) return done;
  }
  return {};
}

void Framing::begin_segment(const Head& head) {
  in_segment_ = true;
  lone_ = head.tag == Tag::heap_dump;
  left_ = head.length;
  time_ = head.time;
  segment_heads_ = kHead;
  window_.take(kHead);
  if (open_) return;
  open_ = starts_ = true;
  ++dumps_;
}

Framing::Done Framing::read_record(event::Batch& said) {
  const Head head = this->head();
  const std::uint64_t offset = window_.offset();
  if (head.length > limits_.frame_bytes) {
    const auto skipped = window_.skip(kHead + head.length);
    if (!skipped) return Unexpected(skipped.error());
    notices_.add(
        Code::frame_length, {.offset = offset}, *skipped,
        fmt::format("record {:#04x} of {} bytes", static_cast<unsigned>(head.tag), head.length));
    return {};
  }
  const std::size_t size = kHead + static_cast<std::size_t>(head.length);
  if (auto done = window_.want(size); !done) return done;
  if (window_.view().size() < size) {
    tell_truncated();
    tell_end();
    return {};
  }
  tell_record(said, head, window_.view().subspan(kHead, size - kHead));
  window_.take(size);
  return {};
}

void Framing::tell_record(event::Batch& said, const Head& head, Bytes body) {
  const base::Place place{.offset = window_.offset()};
  const std::uint64_t size = kHead + body.size();
  base::Cursor cursor(body, place.offset + kHead);
  if (head.tag == Tag::heap_end) {
    if (open_) end_dump(said);
  } else if (!definitions_.read(head.tag, head.time, cursor, said)) {
    notices_.add(Code::code_unknown, place, size,
                 fmt::format("record {:#04x}", static_cast<unsigned>(head.tag)));
    return;
  }
  if (!cursor.ok()) {
    notices_.add(cursor.fault_code(), {.offset = cursor.fault_offset()}, size,
                 record_name(static_cast<std::uint8_t>(head.tag)));
    return;
  }
  if (!cursor.done())
    notices_.add(Code::block_longer, place, 0, record_name(static_cast<std::uint8_t>(head.tag)));
  auto& tally = said.tally.records[static_cast<std::uint8_t>(head.tag)];
  ++tally.count;
  tally.bytes += size;
  ++said.tally.frames;
}

void Framing::end_dump(event::Batch& said) {
  open_ = lone_ = false;
  event::Dump details;
  details.stage = event::DumpStage::end;
  said.add(time_, said.thread_slot(base::kNoId), dumps_, details);
}

// --- parts of a heap dump ---

std::shared_ptr<Context> Framing::context() {
  auto made = std::make_shared<Context>();
  made->time = time_;
  made->classes = classes_;
  made->special = definitions_.special();
  made->segment_heads = std::exchange(segment_heads_, 0);
  made->starts = std::exchange(starts_, false) ? dumps_ : 0;
  return made;
}

// False: nothing came of it, and the segment may be over.
base::result<bool> Framing::read_parts(event::Chunk& chunk) {
  chunk.offset = window_.offset();
  auto context = this->context();
  const bool tells = context->segment_heads != 0 || context->starts != 0;
  if (array_) {
    context->array = array_;
    if (auto done = read_array(chunk); !done) return Unexpected(done.error());
    context->array_bytes = std::exchange(array_head_, 0);
  } else {
    if (auto done = gather(chunk); !done) return Unexpected(done.error());
    if (chunk.bytes.empty() && left_ != 0) {
      if (auto done = read_hard_part(chunk); !done) return Unexpected(done.error());
    }
  }
  if (left_ == 0 && !array_) in_segment_ = false;
  classes_.known.add(std::exchange(learned_, {}));
  if (!field_names_.empty())
    context->field_names = std::make_shared<FieldNames>(std::exchange(field_names_, {}));
  const bool filled = tells || !chunk.bytes.empty() || context->array_bytes != 0;
  if (filled) chunk.context = std::move(context);
  return filled;
}

// As many whole parts as there are, or enough.
Framing::Done Framing::gather(event::Chunk& chunk) {
  constexpr std::size_t kAhead = 64 * 1024;
  while (left_ != 0 && chunk.bytes.size() < kEnough) {
    if (auto done = window_.want(std::min<std::uint64_t>(left_, kAhead)); !done) return done;
    const Bytes view = window_.view().first(std::min<std::uint64_t>(left_, window_.view().size()));
    const std::size_t size = whole_parts(view);
    chunk.bytes.append(view.first(size));
    take_part(size);
    if (size == 0) return {};
  }
  return {};
}

std::size_t Framing::whole_parts(Bytes view) {
  std::size_t at = 0;
  while (at < view.size()) {
    const Measured measured = measure(view.subspan(at), header_.id_size);
    if (measured.what != Measured::What::whole || measured.bytes > view.size() - at ||
        measured.bytes > kLongPart)
      break;
    const std::size_t size = static_cast<std::size_t>(measured.bytes);
    if (static_cast<Part>(view[at]) == Part::class_dump)
      learn_class(view.subspan(at, size), window_.offset() + at);
    at += size;
  }
  return at;
}

void Framing::learn_class(Bytes part, std::uint64_t offset) {
  base::Cursor cursor(part.subspan(1), offset + 1);
  auto dump =
      std::make_shared<ClassDump>(read_class(cursor, header_.id_size, definitions_.special()));
  for (const NamedField& field : dump->fields)
    field_names_.try_emplace(field.name, definitions_.text_of(field.name));
  dump->fields = {};
  dump->references = {};
  classes_.sizes.learn(*dump, header_.id_size, definitions_.special());
  learned_.emplace_back(dump->id, std::move(dump));
}

// One that is not there whole, too long, or no part at all.
Framing::Done Framing::read_hard_part(event::Chunk& chunk) {
  if (window_.view().empty()) return tell_truncated(), Done{};
  const Bytes view = window_.view().first(std::min<std::uint64_t>(left_, window_.view().size()));
  const Measured measured = measure(view, header_.id_size);
  const auto part = static_cast<Part>(view[0]);
  const bool is_array = part == Part::object_array || part == Part::value_array;
  switch (measured.what) {
    case Measured::What::unknown_part:
      return lose_segment(Code::record_unknown,
                          fmt::format("{:#04x}", static_cast<unsigned>(part)));
    case Measured::What::unknown_type:
      return lose_segment(Code::value_unexpected, "type of a value");
    default: break;
  }
  if (measured.bytes > left_) return lose_segment(Code::field_past_end, record_name(tallied(part)));
  if (measured.what == Measured::What::whole && measured.bytes > kLongPart && is_array)
    return begin_array(chunk, measured);
  if (measured.bytes > limits_.frame_bytes)
    return lose_segment(Code::count_too_large, record_name(tallied(part)));
  const auto size = static_cast<std::size_t>(measured.bytes);
  if (auto done = window_.want(size); !done) return done;
  if (window_.view().size() < size) return tell_truncated(), Done{};
  if (measured.what != Measured::What::whole) return {};
  if (part == Part::class_dump) learn_class(window_.view().first(size), window_.offset());
  chunk.bytes.append(window_.view().first(size));
  take_part(size);
  return {};
}

Framing::Done Framing::begin_array(event::Chunk&, const Measured& measured) {
  const auto part = static_cast<Part>(window_.view()[0]);
  const std::size_t id_size = header_.id_size;
  const std::size_t head = array_head(part, id_size);
  const std::byte* const at = window_.view().data() + 1;
  const std::uint64_t length = load_big<std::uint32_t>(at + id_size + 4);
  ArrayPiece piece;
  piece.object = load_id(at, id_size);
  piece.references = part == Part::object_array;
  if (piece.references) {
    piece.type = load_id(at + id_size + 8, id_size);
    piece.size = classes_.sizes.of_array(length * classes_.sizes.reference);
  } else {
    const auto type = static_cast<std::uint8_t>(at[id_size + 8]);
    const Id known = definitions_.special().arrays[type];
    piece.type = known == 0 ? type : known;
    piece.size = classes_.sizes.of_array(measured.bytes - head);
  }
  take_part(head);
  array_ = piece;
  array_left_ = measured.bytes - head;
  array_head_ = head;
  return {};
}

// What its head tells comes with the first piece; values are passed over.
Framing::Done Framing::read_array(event::Chunk& chunk) {
  const std::size_t id_size = header_.id_size;
  if (!array_->references) {
    const std::uint64_t offset = window_.offset();
    const auto skipped = window_.skip(array_left_);
    if (!skipped) return Unexpected(skipped.error());
    const std::uint64_t whole = std::exchange(array_left_, 0);
    left_ -= whole;
    array_.reset();
    if (*skipped == whole) return array_head_ += whole, Done{};
    notices_.add(Code::frame_truncated, {.offset = offset - array_head_}, *skipped + array_head_);
    array_head_ = left_ = 0;
    return {};
  }
  const std::size_t wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(array_left_, kEnough));
  if (auto done = window_.want(wanted); !done) return done;
  const std::size_t here = std::min(window_.view().size(), wanted) / id_size * id_size;
  chunk.bytes.append(window_.view().first(here));
  take_part(here);
  array_left_ -= here;
  array_->size = 0;
  array_->first += here / id_size;
  if (here == wanted && array_left_ != 0) return {};
  array_.reset();
  if (here != wanted) tell_truncated();
  return {};
}

Framing::Done Framing::lose_segment(Code code, std::string detail) {
  const std::uint64_t offset = window_.offset();
  const auto skipped = window_.skip(left_);
  if (!skipped) return Unexpected(skipped.error());
  notices_.add(code, {.offset = offset}, *skipped, std::move(detail));
  left_ = 0;
  return {};
}

// --- the end ---

void Framing::tell_truncated() {
  const std::size_t rest = window_.view().size();
  const base::Place place{.offset = window_.offset()};
  if (rest != 0) notices_.add(Code::frame_truncated, place, rest);
  else if (left_ != 0) notices_.add(Code::frame_truncated, place, 0);
  window_.take(rest);
  left_ = 0;
  lone_ = false;  // its end did not come
}

void Framing::tell_end() {
  if (std::exchange(ended_, true)) return;
  const base::Place end{.offset = window_.offset()};
  if (const auto fault = source_.end_fault())
    notices_.add(fault->code, fault->place, 0, fault->detail);
  else if (open_ && notices_.find(Code::frame_truncated) == nullptr)
    notices_.add(Code::end_missing, end, 0);
}

}  // namespace polytrace::format::hprof
