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

constexpr std::size_t kHead = kRecordHead;
constexpr std::size_t kEnough = 1024 * 1024;  // bytes of a chunk
constexpr std::size_t kEnoughEvents = 4096;   // of a chunk of records

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
    const bool is_empty = said->tally.frames == 0 && said->events.empty();
    if (is_empty && std::exchange(releases_, false)) {
      if (auto done = read_held(chunk); !done) return Unexpected(done.error());
      return chunk.sequence = chunks_++, true;
    }
    if (is_empty && !in_segment_) return false;
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
  if (open_ && lone_) {
    if (waits()) return {};
    end_dump(said);
  }
  while (!ended_ && !releases_ && said.events.size() < kEnoughEvents &&
         window_.offset() - begin < kEnough) {
    if (auto done = window_.want(kHead); !done) return done;
    if (window_.view().size() < kHead) {
      if (waits()) return {};
      tell_truncated();
      tell_end();
      return {};
    }
    if (is_heap(head().tag)) return begin_segment(head()), Done{};
    if (auto done = read_record(said); !done) return done;
  }
  return {};
}

// Whether the dump cannot end yet: objects are held back.
bool Framing::waits() { return releases_ = !held_.empty(); }

Framing::Done Framing::read_held(event::Chunk& chunk) {
  auto made = context();
  made->again = true;
  chunk.context = std::move(made);
  return held_.take(chunk.bytes);
}

void Framing::begin_segment(const Head& head) {
  lacks_length_ = head.length == 0;
  in_segment_ = true;
  lone_ = head.tag == Tag::heap_dump;
  left_ = head.length;
  time_ = head.time;
  segment_heads_ = kHead;
  window_.take(kHead);
  if (open_) return;
  open_ = starts_ = true;
  ++dumps_;
  told_.clear();
  classes_.sizes.learn_address(definitions_.special().object, header_.id_size);
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
  const bool is_cut = window_.view().size() < size;
  if ((is_cut || head.tag == Tag::heap_end) && waits()) return {};
  if (is_cut) {
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
  // Some writers leave out what every virtual machine keeps.
  event::Root root;
  root.type = "boot class";
  if (has_roots_ && !class_roots_)
    for (const Id id : boot_classes_) said.add(time_, said.thread_slot(base::kNoId), id, root);
  has_roots_ = class_roots_ = false;
  boot_classes_ = {};
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
  if (left_ == 0 && !array_ && segment_heads_ == 0) {
    const auto more = parts_go_on();
    if (!more) return more;
    in_segment_ = *more;
  }
  classes_.known.add(std::exchange(learned_, {}));
  if (!field_names_.empty())
    context->field_names = std::make_shared<FieldNames>(std::exchange(field_names_, {}));
  const bool filled = tells || !chunk.bytes.empty() || context->array_bytes != 0;
  context->passed = std::exchange(passed_here_, {});
  if (filled) context->named_by_type = std::exchange(named_by_type_, {});
  if (filled) chunk.context = std::move(context);
  return filled;
}

// As many whole parts as there are, or enough.
Framing::Done Framing::gather(event::Chunk& chunk) {
  while (left_ != 0 && chunk.bytes.size() < kEnough) {
    if (auto done = window_.want(std::min<std::uint64_t>(left_, kAhead)); !done) return done;
    const Bytes view = window_.view().first(std::min<std::uint64_t>(left_, window_.view().size()));
    const auto size = whole_parts(view, chunk.bytes.size());
    if (!size) return Unexpected(size.error());
    chunk.bytes.append(view.first(*size));
    take_part(*size);
    if (*size == 0) return {};
  }
  return {};
}

// `before`: bytes of the chunk before them.
base::result<std::size_t> Framing::whole_parts(Bytes view, std::size_t before) {
  std::size_t at = 0;
  while (at < view.size()) {
    const Measured measured = measure(view.subspan(at), header_.id_size);
    if (measured.what != Measured::What::whole || measured.bytes > view.size() - at ||
        measured.bytes > kLongPart)
      break;
    const std::size_t size = static_cast<std::size_t>(measured.bytes);
    if (auto done = meet_part(view.subspan(at, size), window_.offset() + at, before + at); !done)
      return Unexpected(done.error());
    at += size;
  }
  return at;
}

// What later ones need of a whole part; `at`: its place in the chunk.
Framing::Done Framing::meet_part(Bytes part, std::uint64_t offset, std::size_t at) {
  const std::size_t id_size = header_.id_size;
  const auto kind = static_cast<Part>(part[0]);
  class_roots_ |= kind == Part::sticky_class;
  if (!is_object(kind)) {
    has_roots_ |= root_kind(kind) != nullptr;
    return {};
  }
  const bool is_new = told_.insert(load_id(part.data() + 1, id_size));
  if (!is_new) passed_here_.push_back(at);
  if (kind == Part::class_dump) {
    learn_class(part, offset);
  } else if (is_new && (kind == Part::value_array || kind == Part::bare_array)) {
    meet_value_type(static_cast<std::uint8_t>(part[1 + id_size + 8]));
  } else if (kind == Part::instance && is_new &&
             !knows(load_id(part.data() + 1 + id_size + 4, id_size))) {
    passed_here_.push_back(at);
    return held_.add(part, offset);
  }
  return {};
}

void Framing::meet_value_type(std::uint8_t type) {
  const auto bit = static_cast<std::uint16_t>(1U << type);
  if (definitions_.special().arrays[type] != 0 || (types_met_ & bit) != 0) return;
  types_met_ |= bit;
  named_by_type_ |= bit;
}

// With all its super classes.
bool Framing::knows(Id type) {
  constexpr int kMostSupers = 1000;  // a circle, else
  Recent& recent = recent_[(type * 0x9e3779b97f4a7c15U) >> 56];
  if (recent.type == type && (recent.is_known || recent.described == described_)) [[likely]]
    return recent.is_known;
  recent = {type, described_, true};
  int depth = 0;
  for (Id at = type; (at != 0 || depth == 0) && recent.is_known; ++depth) {
    const auto super = supers_.find(at);
    recent.is_known = super != supers_.end() && depth != kMostSupers;
    if (recent.is_known) at = super->second;
  }
  return recent.is_known;
}

void Framing::learn_class(Bytes part, std::uint64_t offset) {
  base::Cursor cursor(part.subspan(1), offset + 1);
  auto dump =
      std::make_shared<ClassDump>(read_class(cursor, header_.id_size, definitions_.special()));
  for (const NamedField& field : dump->fields)
    field_names_.try_emplace(field.name, definitions_.text_of(field.name));
  if (dump->loader == 0) boot_classes_.push_back(dump->id);
  dump->fields = {};
  dump->references = {};
  classes_.sizes.learn(*dump, header_.id_size, definitions_.special());
  supers_[dump->id] = dump->super;
  ++described_;
  learned_.emplace_back(dump->id, std::move(dump));
}

// One that is not there whole, too long, or no part at all.
Framing::Done Framing::read_hard_part(event::Chunk& chunk) {
  if (window_.view().empty()) return tell_truncated(), Done{};
  const Bytes view = window_.view().first(std::min<std::uint64_t>(left_, window_.view().size()));
  const Measured measured = measure(view, header_.id_size);
  const auto part = static_cast<Part>(view[0]);
  const bool is_array = part == Part::object_array || part == Part::value_array;
  if (measured.what == Measured::What::unknown_part) {
    if (is_open_ended() && records_begin(view, window_.ended())) return left_ = 0, Done{};
    return lose_segment(Code::record_unknown, fmt::format("{:#04x}", static_cast<unsigned>(part)));
  }
  if (measured.what == Measured::What::unknown_type)
    return lose_segment(Code::value_unexpected, "type of a value");
  std::uint64_t bytes = measured.bytes;
  bool is_whole = measured.what == Measured::What::whole;
  if (bytes > left_) {
    const auto over = size_over_border();
    if (!over) return Unexpected(over.error());
    if (*over == 0) return lose_segment(Code::field_past_end, record_name(tallied(part)));
    bytes = *over;
    is_whole = true;
  }
  if (is_whole && bytes > kLongPart && is_array) return begin_array(bytes);
  if (bytes > limits_.frame_bytes)
    return lose_segment(Code::count_too_large, record_name(tallied(part)));
  if (!is_whole) {
    if (auto done = window_.want(static_cast<std::size_t>(bytes)); !done) return done;
    if (window_.view().size() < bytes) tell_truncated();
    return {};
  }
  const std::uint64_t offset = window_.offset();
  if (auto done = fill(chunk.bytes, static_cast<std::size_t>(bytes)); !done) return done;
  if (chunk.bytes.size() == bytes) return meet_part(Bytes(chunk.bytes), offset, 0);
  tell_cut(chunk.bytes.size());
  chunk.bytes.clear();
  return {};
}

Framing::Done Framing::begin_array(std::uint64_t bytes) {
  const auto part = static_cast<Part>(window_.view()[0]);
  const std::size_t id_size = header_.id_size;
  const std::size_t head = array_head(part, id_size);
  base::RawArray<std::byte> start;
  if (auto done = fill(start, head); !done) return done;
  if (start.size() != head) return tell_cut(start.size()), Done{};
  const std::byte* const at = start.data() + 1;
  const std::uint64_t length = load_big<std::uint32_t>(at + id_size + 4);
  ArrayPiece piece;
  piece.object = load_id(at, id_size);
  piece.references = part == Part::object_array;
  piece.again = !told_.insert(piece.object);
  if (piece.references) {
    piece.type = load_id(at + id_size + 8, id_size);
    piece.size = classes_.sizes.of_array(length * classes_.sizes.reference);
  } else {
    const auto type = static_cast<std::uint8_t>(at[id_size + 8]);
    if (!piece.again) meet_value_type(type);
    piece.type = definitions_.special().array_class(type);
    piece.size = classes_.sizes.of_array(bytes - head);
  }
  array_ = piece;
  array_left_ = bytes - head;
  array_head_ = head;
  return {};
}

// What its head tells comes with the first piece; values are passed over, and what was told before.
Framing::Done Framing::read_array(event::Chunk& chunk) {
  if (!array_->references || array_->again) return pass_values(array_left_);
  const std::size_t id_size = header_.id_size;
  const std::size_t wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(array_left_, kEnough));
  if (auto done = fill(chunk.bytes, wanted); !done) return done;
  const std::size_t got = chunk.bytes.size();
  const std::size_t here = got / id_size * id_size;
  chunk.bytes.cut(here);
  array_left_ -= here;
  array_->size = 0;
  array_->first += here / id_size;
  if (got == wanted && array_left_ != 0) return {};
  array_.reset();
  if (got != wanted) tell_cut(got - here);
  return {};
}

Framing::Done Framing::pass_values(std::uint64_t count) {
  std::uint64_t passed = 0;
  while (passed != count) {
    const auto more = has_part_bytes();
    if (!more) return Unexpected(more.error());
    if (!*more) break;
    const auto skipped = window_.skip(std::min(count - passed, left_));
    if (!skipped) return Unexpected(skipped.error());
    passed += *skipped;
    left_ -= *skipped;
  }
  array_.reset();
  array_left_ = 0;
  if (passed == count) return array_head_ += passed, Done{};
  tell_cut(std::exchange(array_head_, 0) + passed);
  return {};
}

Framing::Done Framing::lose_segment(Code code, std::string detail) {
  const std::uint64_t offset = window_.offset();
  const auto skipped = window_.skip(left_);
  if (!skipped) return Unexpected(skipped.error());
  notices_.add(code, {.offset = offset}, *skipped, std::move(detail));
  if (is_open_ended()) lone_ = false;  // its end did not come
  left_ = 0;
  return {};
}

// --- the end ---

void Framing::tell_truncated() {
  const std::size_t rest = window_.view().size();
  const base::Place place{.offset = window_.offset()};
  if (rest != 0) notices_.add(Code::frame_truncated, place, rest);
  else if (left_ != 0 && !is_open_ended()) notices_.add(Code::frame_truncated, place, 0);
  window_.take(rest);
  // A length that lacks its upper bits only is whole.
  constexpr std::uint64_t kLengths = std::uint64_t{1} << 32;
  const bool is_whole = rest == 0 && left_ < kOpenEnd && is_open_ended() && left_ % kLengths == 0;
  if (!is_whole) lone_ = false;  // its end did not come
  left_ = 0;
}

void Framing::tell_end() {
  if (std::exchange(ended_, true)) return;
  const base::Place end{.offset = window_.offset()};
  const auto fault = source_.end_fault();
  if (fault) notices_.add(fault->code, fault->place, 0, fault->detail);
  const bool is_told = fault && base::describe(fault->code).exit != 0;
  if (!is_told && open_ && notices_.find(Code::frame_truncated) == nullptr)
    notices_.add(Code::end_missing, end, 0);
}

}  // namespace polytrace::format::hprof
