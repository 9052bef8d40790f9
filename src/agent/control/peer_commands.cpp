// SPDX-License-Identifier: Apache-2.0
// What a framed client asks for, and the answers.
#include "agent/control/peer.hpp"

#include <unistd.h>

#include "agent/control/server.hpp"

namespace polytrace::agent::control {
namespace {

constexpr std::size_t kMostRules = 4096;
constexpr std::size_t kLongestRule = 1024;
constexpr std::size_t kMostEvents = 64;
constexpr std::uint64_t kMostCredit = std::uint64_t{1} << 62;

// The last field of that name; empty where there is none.
std::string_view text_in(const Frame& frame, Field field) {
  std::string_view text;
  Items items(frame.body);
  for (Item item; items.next(item);) {
    if (item.is(field)) text = item.text();
  }
  return text;
}

bool is_whole(const Frame& frame) {
  Items items(frame.body);
  for (Item item; items.next(item);) {
  }
  return !items.damaged();
}

struct Greeting {
  std::uint64_t version = 0;
  std::string_view token;
  Accepted accepts;
  bool wants_control = false;
};

Greeting greeting_of(const Frame& frame) {
  Greeting greeting;
  Items items(frame.body);
  for (Item item; items.next(item);) {
    if (item.is(Field::version)) greeting.version = item.value();
    if (item.is(Field::token)) greeting.token = item.text();
    if (item.is(Field::control)) greeting.wants_control = item.value() != 0;
    if (!item.is(Field::accepts)) continue;
    greeting.accepts.tbf |= item.value() == static_cast<std::uint64_t>(StreamFormat::tbf);
    greeting.accepts.native |= item.value() == static_cast<std::uint64_t>(StreamFormat::native);
  }
  return greeting;
}

Reply invalid(std::string_view why) { return Reply::refused(Outcome::invalid, why); }

StartRequest start_request(const Frame& frame) {
  StartRequest request;
  Items items(frame.body);
  for (Item item; items.next(item);) {
    if (item.is(Field::session)) request.session = item.text();
    if (item.is(Field::duration)) request.duration_ms = item.value();
    if (item.is(Field::limit)) request.limit_bytes = item.value();
    if (item.is(Field::event) && request.events.size() < kMostEvents)
      request.events.emplace_back(item.text());
  }
  return request;
}

}  // namespace

void Peer::obey(const Frame& frame) {
  Right needed = Right::none;
  const bool known = may_be_sent(frame.message, needed);
  if (!greeted_ && frame.message != Message::hello) return bye("HELLO comes first");
  if (!is_whole(frame)) return answer(Message::answer, frame.request, invalid("damaged body"));
  if (frame.message == Message::bye) {
    closing_ = true;
  } else if (frame.message == Message::hello) {
    greet(frame);
  } else if (known && needed > right_) {
    answer(Message::answer, frame.request,
           Reply::refused(Outcome::forbidden, "this client may not do that"));
  } else if (frame.message == Message::credit) {
    take_credit(frame);
  } else if (frame.message == Message::kept) {
    take_kept(frame);
  } else {
    const Reply reply =
        known ? perform(frame) : Reply::refused(Outcome::unsupported, "unknown message");
    if ((frame.flags & kContinues) != 0 && reply.outcome == Outcome::ok) return;
    const bool late = frame.message == Message::heap_dump && room_.config.heap_dumps;
    answer(late ? Message::done : Message::answer, frame.request, reply);
  }
}

void Peer::greet(const Frame& frame) {
  const Greeting greeting = greeting_of(frame);
  if (greeted_) return answer(Message::answer, frame.request, invalid("there was a HELLO already"));
  if (greeting.version < kProtocolVersion) return bye("no version of the protocol in common");
  if (access_ == Access::tcp && !same_secret(greeting.token, room_.token))
    return bye("wrong token");
  greeted_ = true;
  format_ = negotiate(room_.config.format, ServerMode::enabled, greeting.accepts);
  grant(greeting.wants_control);
  const Facts facts = room_.handler.facts();
  Body body;
  body.number(Field::version, kProtocolVersion);
  body.number(Field::format, static_cast<std::uint64_t>(format_));
  body.number(Field::rights, static_cast<std::uint64_t>(right_));
  body.number(Field::state, static_cast<std::uint64_t>(room_.handler.state()));
  body.number(Field::process, static_cast<std::uint64_t>(getpid()));
  body.number(Field::started, start_time_of(getpid()));
  body.text(Field::runtime, facts.runtime).text(Field::agent, facts.agent);
  body.text(Field::clock, facts.clock);
  // Who is dialled has shown the token in its greeting.
  if (side_ == Side::dialled && access_ == Access::tcp) body.text(Field::token, room_.token);
  body.number(Field::max_command, kMaxCommand).number(Field::max_data, kMaxData);
  for (const std::string& capability : facts.capabilities) body.text(Field::capability, capability);
  for (const std::string& label : facts.labels) body.text(Field::label, label);
  if (const std::uint64_t stream = room_.handler.stream().id; stream != 0)
    body.number(Field::stream, stream);
  Bytes bytes;
  append_frame(bytes, {Message::welcome, 0, frame.request, body.view()});
  link_.queue(bytes);
}

// One controller at a time; whoever asks while there is one observes.
void Peer::grant(bool wants_control) {
  right_ = Right::observe;
  if (!wants_control || room_.controller != nullptr || room_.config.most < Right::control) return;
  right_ = Right::control;
  room_.controller = this;
}

void Peer::take_credit(const Frame& frame) {
  std::uint64_t bytes = 0;
  std::uint64_t stream = 0;
  std::uint64_t offset = 0;
  bool resumes = false;
  Items items(frame.body);
  for (Item item; items.next(item);) {
    if (item.is(Field::bytes) && item.value() < kMostCredit - credit_ - bytes)
      bytes += item.value();
    if (item.is(Field::stream)) stream = item.value();
    if (item.is(Field::offset)) offset = item.value();
    resumes = resumes || item.is(Field::stream) || item.is(Field::offset);
  }
  if (resumes) {
    const Reply reply = resume_at(stream, offset);
    if (reply.outcome != Outcome::ok) return answer(Message::answer, frame.request, reply);
  }
  asked_for_data_ = true;
  credit_ += bytes;
}

// Answered like CREDIT: only where it makes no sense.
void Peer::take_kept(const Frame& frame) {
  std::uint64_t stream = 0;
  std::uint64_t offset = 0;
  Items items(frame.body);
  for (Item item; items.next(item);) {
    if (item.is(Field::stream)) stream = item.value();
    if (item.is(Field::offset)) offset = item.value();
  }
  patient_ = true;
  const Reply reply = room_.handler.kept(stream, offset);
  if (reply.outcome != Outcome::ok) answer(Message::answer, frame.request, reply);
}

// The client has the beginning already, of an earlier connection.
Reply Peer::resume_at(std::uint64_t stream, std::uint64_t offset) {
  if (data_sent_ || feed_ || resumed_ != 0) return invalid("it is too late to resume");
  if (format_ != StreamFormat::native) return invalid("only the native stream can be resumed");
  const StreamState state = room_.handler.stream();
  if (stream == 0 || state.id != stream) return invalid("the stream is another one");
  if (offset > state.length) return invalid("the stream is shorter");
  patient_ = true;
  resumed_ = stream;
  sent_offset_ = offset;
  return Reply::ok();
}

Reply Peer::perform(const Frame& frame) {
  Handler& handler = room_.handler;
  switch (frame.message) {
    case Message::status: note_beat(frame); return handler.status();
    case Message::start: return handler.start(start_request(frame));
    case Message::stop: return handler.stop();
    case Message::pause: return handler.pause();
    case Message::resume: return handler.resume();
    case Message::set_filters: return set_filters(frame);
    case Message::set_option:
      return handler.set_option(text_in(frame, Field::name), text_in(frame, Field::value));
    case Message::heap_dump: return dump_heap(frame);
    case Message::run_gc: return handler.run_gc();
    case Message::flush: return handler.flush();
    case Message::annotate: return handler.annotate(text_in(frame, Field::text));
    default: return Reply::refused(Outcome::unsupported, "no command");
  }
}

// A collector that asks in vain hangs up; one that says how often it asks is missed likewise.
void Peer::note_beat(const Frame& frame) {
  constexpr std::uint64_t kRarest = 3'600'000;
  Items items(frame.body);
  for (Item item; items.next(item);)
    if (item.is(Field::duration) && item.value() <= kRarest) beat_ms_ = item.value();
}

Reply Peer::set_filters(const Frame& frame) {
  Items items(frame.body);
  bool fits = true;
  for (Item item; items.next(item) && fits;) {
    if (!item.is(Field::rule)) continue;
    fits = rules_.size() < kMostRules && item.bytes.size() <= kLongestRule;
    if (fits) rules_.emplace_back(item.text());
  }
  if (fits && (frame.flags & kContinues) != 0) return Reply::ok();
  std::vector<std::string> rules;
  rules.swap(rules_);
  if (!fits) return invalid("at most 4096 rules of 1024 bytes");
  return room_.handler.set_filters(rules);
}

Reply Peer::dump_heap(const Frame& frame) {
  if (!room_.config.heap_dumps)
    return Reply::refused(Outcome::forbidden, "heap dumps were switched off at the start");
  // The program will stand still: say so before.
  answer(Message::answer, frame.request, {Outcome::ok, "started", {}});
  bool moved = false;
  if (!link_.flush(moved)) gone_ = true;
  return room_.handler.heap_dump(text_in(frame, Field::name));
}

void Peer::answer(Message message, std::uint32_t request, const Reply& reply) {
  Body body;
  body.number(Field::outcome, static_cast<std::uint64_t>(reply.outcome));
  body.number(Field::state, static_cast<std::uint64_t>(room_.handler.state()));
  if (!reply.text.empty()) body.text(Field::text, reply.text);
  for (const Counter& figure : reply.figures) body.figure(figure.name, figure.value);
  Bytes frame;
  append_frame(frame, {message, 0, request, body.view()});
  link_.queue(frame);
}

}  // namespace polytrace::agent::control
