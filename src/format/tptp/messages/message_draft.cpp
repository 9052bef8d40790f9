// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/messages/message_draft.hpp"

#include <algorithm>
#include <limits>

#include "base/text/utf8.hpp"
#include "format/tptp/messages/charset.hpp"
#include "format/tptp/messages/time_base.hpp"

namespace polytrace::format::tptp {

void WrittenTimes::tell(base::Time now, const event::Clock& clock) {
  if (told_ || now_ != 0) return loss_.event(event::Kind::Clock);
  told_ = true;
  const bool binary = spelling_ == Spelling::tbf;
  if (clock.ticks_per_second != (binary ? TimeBase::kSecond : 0) && clock.ticks_per_second != 0)
    lose("ticks_per_second");
  if (clock.resolution != (binary ? 1 : 0) && clock.resolution != 0) lose("resolution");
  if (clock.overhead != 0) lose("overhead");
  if (clock.wall == base::kNoTime) return;
  wall_ = TimeBase::is_wall_time(clock.wall);
  if (!wall_) lose("wall");
  else if (__builtin_sub_overflow(clock.wall, now, &shift_)) shift_ = 0;
  else clock_ = clock.wall;
}

void WrittenTimes::finish() {
  if (told_ && now_ == 0) loss_.event(event::Kind::Clock);
}

bool WrittenTimes::stamp(base::Time time, std::int64_t& written) {
  written = shifted(time);
  // A time of 0 is none.
  if (written == 0) return now_ == 0;
  if (now_ == 0 && wall_ && !TimeBase::is_wall_time(written)) lose("wall");
  now_ = written;
  return shift_ == 0 || written - shift_ == time;
}

std::int64_t WrittenTimes::shifted(base::Time time) const {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(time, shift_, &sum)) return sum;
  return time < 0 ? std::numeric_limits<std::int64_t>::min()
                  : std::numeric_limits<std::int64_t>::max();
}

namespace {

void replace_zeros(std::string& text) {
  for (auto at = text.find('\0'); at != std::string::npos; at = text.find('\0', at))
    text.replace(at, 1, base::kReplacement);
}

// Names of classes have dots, and $ before nested ones; readers of XML take slashes for dots. With
// dots beside them slashes stand before nested classes, alone they are dots.
void replace_slashes(std::string& name) {
  std::ranges::replace(name, '/', name.find('.') == std::string::npos ? '.' : '$');
}

}  // namespace

bool is_wire_text(std::string_view text, Meaning meaning, std::string& made) {
  const bool slashes = meaning == Meaning::class_name && text.find('/') != std::string_view::npos;
  const bool zeros = text.find('\0') != std::string_view::npos;
  if (is_ascii(text) && !zeros && !slashes && text.size() <= kMostTextBytes) return true;
  made.clear();
  append_utf8(made, text.substr(0, kMostTextBytes), Charset::utf8);
  if (zeros) replace_zeros(made);
  if (slashes) replace_slashes(made);
  return made == text;
}

void MessageDraft::start(std::uint16_t id, const event::Event& event) {
  message_.reset(*find_message(id));
  event_ = &event;
  held_count_ = 0;
}

void MessageDraft::join(const event::Batch& batch, const event::Event& event, base::Time time,
                        base::Id thread) {
  event_ = &event;
  held_count_ = 0;
  if (event.time != time) lose("time");
  if (batch.thread(event) != thread) lose("stream");
}

void MessageDraft::own_stream(const event::Batch& batch, unsigned attribute) {
  const auto plain = [](base::Id id) { return id == base::kNoId ? 0 : id; };
  if (plain(event_->id) != plain(batch.thread(*event_))) lose("stream");
  subject(attribute);
}

void MessageDraft::stamp(unsigned attribute) {
  std::int64_t time = 0;
  if (!times_.stamp(event_->time, time)) lose("time");
  message_.set_number(attribute, time);
}

void MessageDraft::stream(const event::Batch& batch, unsigned attribute) {
  const base::Id thread = batch.thread(*event_);
  put_id(attribute, thread);
  if (thread == 0) lose("stream");  // it is read as none
}

std::string_view MessageDraft::wire_text(std::string_view text, Meaning meaning,
                                         std::string_view name) {
  if (is_wire_text(text, meaning, made_)) return text;
  lose(name);
  return message_.keep(made_);
}

}  // namespace polytrace::format::tptp
