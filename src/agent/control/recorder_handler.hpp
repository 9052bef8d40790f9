// SPDX-License-Identifier: Apache-2.0
// The part of a Handler that is the same for every agent: what the recorder can do. An agent
// derives from it for what needs its runtime (heap dumps, collections, filters). In an agent:
//
//   control::ServerConfig config = control::server_config(options, faults);  // before the recorder
//   Recorder::the().start(options, faults);
//   static MyHandler& handler = *new MyHandler(options, facts);  // both live for ever
//   static control::Server& server = *new control::Server(handler, config);
//   if (config.wanted() && server.open()) server.start();  // or run() on a thread of the VM's
//   ...
//   Recorder::the().stop(deadline);  // first, so that clients get everything
//   server.stop(2000);
#pragma once

#include "agent/common/options/options.hpp"
#include "agent/control/server.hpp"
#include "agent/control/trimmer.hpp"
#include "base/types.hpp"

namespace polytrace::agent::control {

// What the options ask for. Where clients take the stream (server=enabled or controlled) they are
// fed from the recording, which therefore becomes native whatever `format` says for them, and a
// Unix socket is there even if `control` names none; `options` is changed accordingly.
ServerConfig server_config(Options& options, Faults& faults);

class RecorderHandler : public Handler {
 public:
  // `facts` without the clock, which the options decide.
  RecorderHandler(Options options, Facts facts);

  Facts facts() override { return facts_; }
  State state() override;
  Reply status() override;
  // Of a recorder that is idle, with the options of the beginning; or of one that is paused. The
  // nth recording of a process has the number in its file's name. What events are recorded is not
  // for this class to change.
  Reply start(const StartRequest& request) override;
  Reply stop() override;
  Reply pause() override;
  Reply resume() override;
  Reply flush() override;
  Reply annotate(std::string_view text) override;
  // Ends recordings that were cut off, or whose time is over. Notices: what was lost, a limit
  // reached, an output that fails.
  int look_around() override;
  StreamState stream() override;
  std::size_t read_stream(std::uint64_t offset, std::span<std::uint8_t> into) override;
  std::uint64_t next_kept(std::uint64_t offset) const override {
    return trimmer_.next_kept(offset);
  }
  // Where the agent dials, the file gives that part back: look_around() does. Else it is the
  // user's.
  Reply kept(std::uint64_t stream, std::uint64_t offset) override;

 protected:
  Options& options() { return options_; }
  // Around a recording that start() begins: what it needs (false: there can be none), and what is
  // told first in it.
  virtual bool prepare() { return true; }
  virtual void begun() {}

 private:
  void tell_faults();
  bool dials() const { return !options_.connect.empty(); }
  // Of a recording for a collector, what the file need not hold any more. False: there is more.
  bool trim();
  Trimmer::Dropped make_room(std::uint64_t length);
  Reply start_next(const StartRequest& request);

  Options options_;
  Facts facts_;
  Descriptor file_;
  std::uint64_t stream_ = 0;
  Trimmer trimmer_;
  std::uint64_t kept_ = 0;        // by clients, in the stream
  std::uint64_t read_ = 0;        // by the client that has come furthest
  std::uint64_t recordings_ = 0;  // that were started here, or before
  std::uint64_t lost_told_ = 0;
  base::Time lost_told_at_ = 0;
  bool fault_told_ = false;
};

}  // namespace polytrace::agent::control
