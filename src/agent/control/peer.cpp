// SPDX-License-Identifier: Apache-2.0
#include "agent/control/peer.hpp"

#include <algorithm>
#include <array>

#include "agent/control/server.hpp"

namespace polytrace::agent::control {
namespace {

constexpr std::size_t kPortion = 64U << 10;   // of data at a time
constexpr std::size_t kEnough = 256U << 10;   // waits to be sent: nothing more is made or read
constexpr std::uint64_t kLongestTurn = 1000;  // of waiting that counts: a command may take longer
constexpr int kGlance = 200;                  // milliseconds between looks at a stream
constexpr std::uint64_t kBeatsMissed = 3;     // of a collector that is gone then

std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Peer::Peer(Room& room, Descriptor socket, Access access, std::uint64_t now, Side side)
    : room_(room),
      link_(std::move(socket)),
      access_(access),
      side_(side),
      patient_(side == Side::dialled),
      heard_at_(now),
      served_at_(now) {}

Peer::~Peer() {
  if (room_.controller == this) room_.controller = nullptr;
}

void Peer::serve(std::uint64_t now) {
  read_input(now);
  hear(now);
  tell_notices();
  bool moved = false;
  move_data(moved);
  if (!link_.flush(moved)) gone_ = true;
  if (closing_ && link_.waiting() == 0) gone_ = true;
  keep_time(now, moved);
  // Who came next is served in this very turn, and may want to control.
  if (gone_ && room_.controller == this) room_.controller = nullptr;
}

bool Peer::reads() const { return !input_ended_ && !closing_ && link_.waiting() < kEnough; }

void Peer::read_input(std::uint64_t now) {
  if (!reads()) return;
  const bool nothing_begun = early_.empty() && frames_.pending().empty() && legacy_.empty();
  Bytes bytes;
  const Link::Got got = link_.receive(bytes);
  if (got == Link::Got::broken) gone_ = true;
  if (got == Link::Got::end) input_ended_ = true;
  if (got != Link::Got::bytes) return;
  got_at_ = now;
  if (nothing_begun) heard_at_ = now;
  if (speech_ == Speech::unknown) early_.insert(early_.end(), bytes.begin(), bytes.end());
  if (speech_ == Speech::frames) frames_.append(bytes);
  if (speech_ == Speech::legacy) legacy_.append(text_of(bytes));
}

void Peer::hear(std::uint64_t now) {
  const std::uint64_t most = awaits_frames() ? room_.config.handshake_ms : room_.config.silence_ms;
  const bool silent = input_ended_ || now - heard_at_ >= most;
  // Nobody else has come to wait for: another attempt may find somebody who speaks.
  if (awaits_frames() && silent && speech_ == Speech::unknown && early_.size() < 4) gone_ = true;
  if (gone_ || !knows_speech(silent)) return;
  if (speech_ == Speech::frames) return hear_frames();
  // Who speaks the old language cannot show a token.
  if (access_ == Access::tcp) gone_ = true;
  if (gone_) return;
  hear_legacy();
  if (silent && !raw_data_ && legacy_.empty()) begin_raw_data();
}

bool Peer::awaits_frames() const {
  return side_ == Side::dialled && room_.config.format == FormatOption::native &&
         speech_ != Speech::legacy;
}

bool Peer::knows_speech(bool silent) {
  if (speech_ != Speech::unknown) return true;
  if (early_.size() < 4 && !silent) return false;
  const bool frames = early_.size() >= 4 && !looks_legacy(text_of(early_));
  speech_ = frames ? Speech::frames : Speech::legacy;
  if (frames) frames_.append(early_);
  if (!frames) legacy_.append(text_of(early_));
  early_.clear();
  return true;
}

void Peer::hear_frames() {
  Frame frame;
  auto cut = FrameBuffer::Cut::more;
  while (!closing_ && link_.waiting() < kEnough &&
         (cut = frames_.next(frame)) == FrameBuffer::Cut::frame) {
    obey(frame);
    heard_at_ = served_at_;
  }
  if (cut == FrameBuffer::Cut::impossible) bye("a frame has an impossible length");
  if (input_ended_) closing_ = true;
}

void Peer::hear_legacy() {
  LegacyCommand command;
  auto cut = LegacyReader::Cut::more;
  while ((cut = legacy_.next(command)) == LegacyReader::Cut::command) {
    obey(command);
    heard_at_ = served_at_;
  }
  if (cut == LegacyReader::Cut::impossible) gone_ = true;
}

void Peer::obey(const LegacyCommand& command) {
  if (command.verb == LegacyVerb::start_monitoring && !raw_data_) begin_raw_data();
  if (command.verb != LegacyVerb::set_output_format) return;
  if (!format_fixed_ && !raw_data_) {
    const bool binary = command.has_format && command.format == StreamFormat::tbf;
    format_ = negotiate(room_.config.format, ServerMode::enabled, {binary, false});
    format_fixed_ = true;
  }
  const std::string answer = legacy_command(LegacyVerb::enabled_output_format, format_);
  if (raw_data_) late_answers_ += answer;  // within the data it would be damage
  if (!raw_data_) link_.queue(answer);
}

void Peer::begin_raw_data() {
  raw_data_ = unlimited_ = format_fixed_ = true;
  right_ = Right::observe;
  const bool may_start = room_.config.mode == ServerMode::controlled &&
                         room_.config.most == Right::control && room_.controller == nullptr;
  if (may_start && room_.handler.state() == State::idle) room_.handler.start({});
}

bool Peer::can_take() const {
  return feed_ && !feed_->ended() && !closing_ && link_.waiting() < kEnough &&
         (unlimited_ || credit_ > 0);
}

void Peer::move_data(bool& moved) {
  const bool wanted = !closing_ && (unlimited_ || credit_ > 0);
  if (wanted && !feed_) {
    const StreamState state = room_.handler.stream();
    if (state.id == 0 || state.id == ended_stream_) return;
    feed_ = std::make_unique<Feed>(room_.handler, format_, state.id == resumed_ ? sent_offset_ : 0);
    if (const auto opened = feed_->open(room_.config.converter); !opened) {
      notice(NoticeCode::no_converter, opened.error().detail);
      return bye(opened.error().detail);
    }
  }
  std::array<std::uint8_t, kPortion> bytes;
  while (can_take()) {
    const std::uint64_t room = unlimited_ ? kPortion : std::min<std::uint64_t>(credit_, kPortion);
    const std::size_t got = feed_->take(std::span(bytes).first(static_cast<std::size_t>(room)));
    if (got > 0) send_data(View(bytes).first(got));
    if (!link_.flush(moved)) gone_ = true;
    if (got == 0 || gone_) break;
  }
  if (feed_ && feed_->ended()) end_data();
}

void Peer::send_data(View bytes) {
  data_sent_ = true;
  if (unlimited_) return link_.queue(bytes);
  credit_ -= bytes.size();
  Body body;
  body.number(Field::stream, feed_->stream());
  if (format_ == StreamFormat::native) sent_offset_ = feed_->offset() - bytes.size();
  body.number(Field::offset, sent_offset_);
  body.bytes(Field::content, bytes);
  Bytes frame;
  append_frame(frame, {Message::data, 0, 0, body.view()});
  link_.queue(frame);
  sent_offset_ += bytes.size();
}

void Peer::end_data() {
  if (feed_->failed()) {
    constexpr std::string_view kEarly = "the converter ended before the stream";
    notice(NoticeCode::no_converter, kEarly);
    return bye(kEarly);
  }
  ended_stream_ = feed_->stream();
  feed_.reset();
  sent_offset_ = resumed_ = 0;
  if (unlimited_) return bye({});
  notice(NoticeCode::end_of_stream, "the stream has ended");
}

void Peer::keep_time(std::uint64_t now, bool moved) {
  const std::uint64_t turn = std::min(now - served_at_, kLongestTurn);
  served_at_ = now;
  const bool no_credit = !patient_ && feed_ && !unlimited_ && credit_ == 0 && feed_->has_data();
  const bool no_reader = link_.waiting() > 0 && !moved;
  stalled_ms_ = no_credit || no_reader ? stalled_ms_ + turn : 0;
  if (stalled_ms_ >= room_.config.stall_ms) gone_ = true;
  const bool half = !early_.empty() || !frames_.pending().empty() || !legacy_.empty();
  if (half && link_.waiting() < kEnough && now - heard_at_ >= room_.config.frame_ms) gone_ = true;
  if (is_deserted(now)) gone_ = true;
}

// The other end, or what is between, went without a word: another attempt may find it again.
bool Peer::is_deserted(std::uint64_t now) const {
  return side_ == Side::dialled && beat_ms_ != 0 && now - got_at_ >= kBeatsMissed * beat_ms_;
}

int Peer::patience() const {
  const bool half = !early_.empty() || !frames_.pending().empty() || !legacy_.empty();
  if (side_ == Side::dialled && !greeted_) return kGlance;
  const bool settling = speech_ == Speech::unknown || half || closing_ || link_.waiting() > 0;
  const bool follows = feed_ || unlimited_ || credit_ > 0 || greeted_;
  const bool unsaid = speech_ == Speech::legacy && !raw_data_;
  if (!settling && !follows && !unsaid) return -1;
  return static_cast<int>(std::min<std::uint32_t>(kGlance, room_.config.silence_ms));
}

void Peer::announce_end() {
  if (speech_ != Speech::frames && !awaits_frames() && access_ == Access::unix && !raw_data_) {
    speech_ = Speech::legacy;
    begin_raw_data();
  }
  notice(NoticeCode::end_of_process, "the program ends");
}

bool Peer::settled(std::uint64_t now) const {
  constexpr std::uint64_t kMoment = 500;  // of a collector that was to ask by now
  if (awaits_frames() && !gone_ && !closing_ && !asked_for_data_ && now - heard_at_ < kMoment)
    return false;
  const bool starts = !feed_ && (unlimited_ || credit_ > 0) && room_.handler.stream().id != 0 &&
                      room_.handler.stream().id != ended_stream_;
  return link_.waiting() == 0 && !feed_ && !starts;
}

void Peer::bye(std::string_view reason) {
  if (closing_) return;
  closing_ = true;
  if (speech_ != Speech::frames) return link_.queue(late_answers_);
  Body body;
  if (!reason.empty()) body.text(Field::text, reason);
  Bytes frame;
  append_frame(frame, {Message::bye, 0, 0, body.view()});
  link_.queue(frame);
}

// The handler's, also those from before the client came.
void Peer::tell_notices() {
  if (!greeted_) return;
  const Notices& all = room_.handler.notices();
  notices_told_ = std::max(notices_told_, all.begin());
  for (; notices_told_ < all.end(); ++notices_told_)
    notice(all.at(notices_told_).code, all.at(notices_told_).text);
}

void Peer::notice(NoticeCode code, std::string_view text) {
  if (speech_ == Speech::legacy && code == NoticeCode::no_converter) {
    // All that such a client understands.
    link_.queue("<!-- ");
    link_.queue(text);
    link_.queue(" -->\n");
  }
  if (speech_ != Speech::frames || closing_) return;
  Body body;
  body.number(Field::code, static_cast<std::uint64_t>(code));
  body.text(Field::text, text);
  Bytes frame;
  append_frame(frame, {Message::notice, 0, 0, body.view()});
  link_.queue(frame);
}

}  // namespace polytrace::agent::control
