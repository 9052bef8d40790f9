// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/messages/message_draft.hpp"

namespace polytrace::format::tptp {

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
