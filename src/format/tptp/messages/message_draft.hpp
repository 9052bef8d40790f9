// SPDX-License-Identifier: Apache-2.0
// One event becoming one message: puts fields into attributes, notes which ones it was given, and
// counts what the message does not hold. One thread at a time.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "event/visit.hpp"
#include "event/writer.hpp"
#include "format/tptp/messages/catalogue.hpp"
#include "format/tptp/messages/message.hpp"
#include "format/tptp/messages/spelling.hpp"

namespace polytrace::format::tptp {

// Texts as a message can hold them are well-formed UTF-8 without zeros, of a bounded length;
// characters that XML alone cannot hold are the XML writer's. Longer texts are cut: six of them,
// escaped, are still an XML element that every reader takes.
inline constexpr std::size_t kMostTextBytes = 256 * 1024;

// False, and then the nearest such text in `made`, when `text` cannot be held as it is.
bool is_wire_text(std::string_view text, Meaning meaning, std::string& made);

// Times of events as the times of messages, and what readers will make of them: a clock that tells
// wall time turns times into nanoseconds since 1970; a message without a time, or with 0, is read
// with that of the message before it.
class WrittenTimes {
 public:
  WrittenTimes(Spelling spelling, event::Loss& loss) : spelling_(spelling), loss_(loss) {}

  // The trace's clock: the first one counts, and only as long as no time was written.
  void tell(base::Time now, const event::Clock& clock);
  // As long as no time was written, the clock's may be the first. False when it is not.
  bool start() {
    if (now_ != 0) return false;
    now_ = clock_;
    return now_ != 0;
  }
  // Nothing more comes.
  void finish();

  // The time of a message. False when it is not read again as the event's.
  bool stamp(base::Time time, std::int64_t& written);
  // Whether a message without a time, written now, is read with this one.
  bool implies(base::Time time) const { return shifted(time) == now_; }
  // The time of the last message that had one, 0 when none had.
  std::int64_t now() const { return now_; }

 private:
  std::int64_t shifted(base::Time time) const;
  void lose(std::string_view name) { loss_.field(event::Kind::Clock, name); }

  Spelling spelling_;
  event::Loss& loss_;
  std::int64_t shift_ = 0;
  std::int64_t clock_ = 0;  // when the clock was told, if that is a wall time
  std::int64_t now_ = 0;    // of the last message that had one
  bool told_ = false;       // there was a clock
  bool wall_ = false;       // and it told wall time
};

class MessageDraft {
 public:
  MessageDraft(Spelling spelling, event::Loss& loss) : loss_(loss), times_(spelling, loss) {}

  const Message& message() const { return message_; }
  WrittenTimes& times() { return times_; }

  // Starts the message of kind F (as in field::) with the event's time and stream.
  // The batch outlives the draft of the message.
  template <class F>
  void begin(const event::Batch& batch, const event::Event& event) {
    start(F::kId, event);
    if constexpr (requires { F::time; }) stamp(F::time);
    else if (!times_.implies(event.time)) lose("time");
    // A thread's beginning and end belong to its own stream.
    if constexpr (std::is_same_v<F, field::ThreadStart>) stream(batch, F::thread_id);
    else if constexpr (requires { F::thread_id_ref; }) stream(batch, F::thread_id_ref);
    else if (batch.thread(event) != base::kNoId) lose("stream");
  }

  // Goes on with the same message for another event, which has to have this time and thread.
  void join(const event::Batch& batch, const event::Event& event, base::Time time, base::Id thread);
  // The message's subject is the thread itself, which has to be the event's stream.
  void own_stream(const event::Batch& batch, unsigned attribute);

  // --- fields into attributes ---
  void text(unsigned attribute, const event::Text& field, std::string_view name) {
    hold(field);
    message_.set_text(attribute, wire_text(field, meaning(attribute), name));
  }
  // For ids, "none" and 0 are the same in messages.
  void id(unsigned attribute, const base::Id& field) {
    hold(field);
    put_id(attribute, field);
  }
  void subject(unsigned attribute) { put_id(attribute, event_->id); }
  void number(unsigned attribute, const std::int64_t& field) {
    hold(field);
    message_.set_number(attribute, field);
  }
  // Negative numbers mean nothing there.
  void count(unsigned attribute, const event::u64& field, std::string_view name) {
    constexpr auto kMost = static_cast<event::u64>(INT64_MAX);
    hold(field);
    message_.set_number(attribute, static_cast<std::int64_t>(std::min(field, kMost)));
    if (field > kMost) lose(name);
  }
  // Attributes that no field tells, or not as it stands.
  void set(unsigned attribute, std::int64_t value) { message_.set_number(attribute, value); }
  // An id that other messages have; also in a message beside the draft's.
  void link(Message& message, unsigned attribute, std::string_view id) {
    const bool plain = is_wire_text(id, Meaning::plain, made_);
    message.set_text(attribute, message.keep(plain ? id : made_));
  }
  void link(unsigned attribute, std::string_view id) { link(message_, attribute, id); }
  // An id that is told, else one that was made.
  void link(unsigned attribute, std::string_view made, const event::Text& told,
            std::string_view name) {
    if (told.empty()) link(attribute, made);
    else text(attribute, told, name);
  }
  void add_frame(unsigned methods, unsigned lines, std::string_view name, std::int64_t line) {
    message_.add_text(methods, message_.keep(name));
    message_.add_number(lines, line);
  }

  // --- what is not held ---
  // The field is taken care of.
  template <class T>
  void hold(const T& field) {
    held_[held_count_++] = &field;
  }
  void lose(std::string_view name) { loss_.field(event_->kind, name); }
  // Counts the fields that are told and that nobody held.
  template <class T>
  void end(const T& details) {
    Rest rest{*this};
    visit_fields(rest, details);
  }

 private:
  struct Rest {
    MessageDraft& draft;
    template <event::Tag tag, class T>
    void field(std::string_view name, const T& value) {
      const auto end = draft.held_.begin() + static_cast<std::ptrdiff_t>(draft.held_count_);
      if (std::find(draft.held_.begin(), end, &value) != end) return;
      if (event::is_told<tag>(value)) draft.lose(name);
    }
  };

  Meaning meaning(unsigned attribute) const {
    return message_.info().attributes[attribute].meaning;
  }
  void put_id(unsigned attribute, base::Id id) {
    message_.set_number(attribute, id == base::kNoId ? 0 : static_cast<std::int64_t>(id));
  }
  void start(std::uint16_t id, const event::Event& event);
  void stamp(unsigned attribute);
  void stream(const event::Batch& batch, unsigned attribute);
  std::string_view wire_text(std::string_view text, Meaning meaning, std::string_view name);

  event::Loss& loss_;
  WrittenTimes times_;
  Message message_;
  std::string made_;
  const event::Event* event_ = nullptr;
  std::array<const void*, 16> held_{};  // no kind has more fields
  std::size_t held_count_ = 0;
};

}  // namespace polytrace::format::tptp
