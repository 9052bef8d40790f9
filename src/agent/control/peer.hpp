// SPDX-License-Identifier: Apache-2.0
// One client as the server sees it: what it said, what it may do, what it still gets. Server's
// thread only. Times are milliseconds of the monotonic clock.
#pragma once

#include <memory>
#include <string>

#include "agent/control/feed.hpp"
#include "agent/control/protocol/frames.hpp"
#include "agent/control/protocol/legacy.hpp"
#include "agent/control/protocol/link.hpp"

namespace polytrace::agent::control {

struct ServerConfig;
class Peer;

// What all clients share.
struct Room {
  Handler& handler;
  const ServerConfig& config;
  const std::string& token;  // "" where no TCP port is open
  Peer* controller = nullptr;
};

enum class Access : std::uint8_t { unix, tcp };
// Who made the connection: a client, or this agent.
enum class Side : std::uint8_t { came, dialled };

class Peer {
 public:
  Peer(Room& room, Descriptor socket, Access access, std::uint64_t now, Side side = Side::came);
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer();

  // Everything that can be done without waiting. Called whenever something may have changed.
  void serve(std::uint64_t now);
  bool greeted() const { return greeted_; }
  // Where it is in the stream; 0: at the beginning, or nowhere.
  std::uint64_t position() const { return feed_ ? feed_->offset() : 0; }
  // To be forgotten.
  bool gone() const { return gone_; }

  // The process ends: a notice, then what is left of the stream, then farewell.
  void announce_end();
  // Nothing is left to be sent; a collector that was dialled has had its time to ask.
  bool settled(std::uint64_t now) const;
  // The last word; the connection closes when it is out.
  void bye(std::string_view reason);

  // For poll(); -1 where there is nothing to wait for.
  int socket() const { return link_.socket(); }
  bool reads() const;
  bool writes() const { return link_.waiting() > 0; }
  int converted() const { return can_take() ? feed_->converted() : -1; }
  int wants_to_feed() const { return can_take() ? feed_->wants_to_feed() : -1; }
  // The other end has closed both ways, as poll() told.
  void hang_up() { gone_ = gone_ || input_ended_; }
  // How long it can be left alone, at most; -1: until something happens.
  int patience() const;

 private:
  enum class Speech : std::uint8_t { unknown, frames, legacy };

  void read_input(std::uint64_t now);
  void hear(std::uint64_t now);
  bool knows_speech(bool silent);
  // A collector speaks frames, at a time of its own: silence is not the old language.
  bool awaits_frames() const;
  void hear_frames();
  void hear_legacy();
  void obey(const LegacyCommand& command);
  void begin_raw_data();
  void move_data(bool& moved);
  void send_data(View bytes);
  void end_data();
  bool can_take() const;
  void keep_time(std::uint64_t now, bool moved);
  bool is_deserted(std::uint64_t now) const;

  // peer_commands.cpp
  void obey(const Frame& frame);
  void greet(const Frame& frame);
  void grant(bool wants_control);
  void take_credit(const Frame& frame);
  void take_kept(const Frame& frame);
  Reply resume_at(std::uint64_t stream, std::uint64_t offset);
  Reply perform(const Frame& frame);
  Reply set_filters(const Frame& frame);
  Reply dump_heap(const Frame& frame);
  void note_beat(const Frame& frame);
  void answer(Message message, std::uint32_t request, const Reply& reply);
  void notice(NoticeCode code, std::string_view text);
  void tell_notices();

  Room& room_;
  Link link_;
  Access access_;
  Side side_;
  Speech speech_ = Speech::unknown;
  Bytes early_;  // before it is known what the client speaks
  FrameBuffer frames_{kMaxCommand};
  LegacyReader legacy_;
  bool greeted_ = false, asked_for_data_ = false, data_sent_ = false;
  bool input_ended_ = false, closing_ = false, gone_ = false;
  bool format_fixed_ = false, raw_data_ = false, unlimited_ = false;
  bool patient_ = false;  // it resumes, or was dialled: without credit it waits, which costs nobody
  StreamFormat format_ = StreamFormat::xml;
  Right right_ = Right::none;
  std::vector<std::string> rules_;  // of SET_FILTERS, until its last frame
  std::uint64_t credit_ = 0;
  std::unique_ptr<Feed> feed_;
  std::uint64_t sent_offset_ = 0;  // of the client's data
  std::uint64_t resumed_ = 0;      // stream, by CREDIT; 0: from its beginning
  std::uint64_t ended_stream_ = 0;
  std::uint64_t notices_told_ = 0;
  std::string late_answers_;  // to what was asked while raw data flowed
  std::uint64_t heard_at_, served_at_, stalled_ms_ = 0;
  std::uint64_t beat_ms_ = 0;  // how often a collector said that it asks; 0: it did not
  std::uint64_t got_at_ = 0;   // when bytes came last
};

}  // namespace polytrace::agent::control
