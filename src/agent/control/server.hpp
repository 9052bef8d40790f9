// SPDX-License-Identifier: Apache-2.0
// The agent's side of the control protocol (recorder_handler.hpp shows how an agent uses it):
//
//   control::Server server(handler, config);       // handler: what the agent can do
//   if (!server.open() || !server.start()) ...     // or, on a thread of the agent's own: run()
//
// server.stop() when the program ends. Nothing listens unless the configuration says so.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/control/dialer.hpp"
#include "agent/control/peer.hpp"
#include "agent/control/protocol/endpoint.hpp"
#include "agent/control/protocol/handler.hpp"
#include "agent/control/protocol/negotiation.hpp"
#include "base/result.hpp"

namespace polytrace::agent::control {

struct ServerConfig {
  bool listen_unix = false;    // control=unix
  bool listen_tcp = false;     // control=tcp:127.0.0.1:PORT
  std::uint16_t tcp_port = 0;  // 0: any free one
  std::string connect;         // connect=PATH or tcp:127.0.0.1:PORT: the agent dials, again and
                               // again; may be combined with listening
  std::string token_file;      // an existing one; "": a new one beside the socket, where it listens
  std::string folder;          // for the sockets' folders; "": meeting_folder()
  Right most = Right::control;  // what any client may be granted
  bool heap_dumps = true;       // heapdump=never: false
  FormatOption format = FormatOption::native;
  ServerMode mode = ServerMode::enabled;
  std::string converter;  // path of polytrace; "": XML and TBF cannot be had

  std::size_t max_clients = 16;
  std::uint32_t drain_ms = 2000;       // at the end, for clients to read the rest
  std::uint32_t silence_ms = 2000;     // a client that says nothing for so long is an old one
  std::uint32_t frame_ms = 5000;       // a frame that was begun must be whole
  std::uint32_t stall_ms = 10000;      // without credit, or without reading
  std::uint32_t redial_ms = 1000;      // until the second attempt
  std::uint32_t handshake_ms = 10000;  // in which a collector that was dialled greets

  // Anything is to be opened at all.
  bool wanted() const { return listen_unix || listen_tcp || !connect.empty(); }
};

// control=none|unix|tcp:127.0.0.1[:PORT], into the configuration. False for anything else: another
// address than loopback is for SSH to forward.
bool parse_control_option(std::string_view value, ServerConfig& config);

class Server {
 public:
  Server(Handler& handler, ServerConfig config);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // stop() must have returned true before.
  ~Server();

  // Makes the sockets, and dials a first time; that nobody answers is no failure. On failure
  // nothing is left behind.
  base::result<void> open();
  // Runs on a thread of its own, all signals blocked.
  bool start();
  // Or on the caller's; returns after stop().
  void run();

  // The stream has grown or ended. Any thread; never blocks.
  void stream_grew();
  // Sends what is left to those who take it, for at most so long, says goodbye, removes the
  // sockets. Any thread but the server's. False where the server did not end in time: a command
  // hangs, and the server must not be destroyed.
  bool stop(std::uint32_t drain_ms);

  // "" where there is none.
  const std::string& socket_path() const { return socket_path_; }
  const std::string& token_path() const { return token_path_; }
  std::uint16_t tcp_port() const { return config_.tcp_port; }

 private:
  base::result<void> open_all();
  base::result<void> open_folder();
  base::result<void> open_tcp();
  base::result<void> prepare_dialing();
  void dial();
  void forget_gone();
  void close_sockets();
  void turn();
  void wait();
  void accept_from(int listener, Access access);
  void serve_all();
  void leave();

  Handler& handler_;
  ServerConfig config_;
  std::string token_;
  Room room_;
  Descriptor unix_, tcp_, wake_;
  Dialer dialer_;
  Peer* dialled_ = nullptr;  // among the peers
  std::string folder_, socket_path_, token_path_;
  std::vector<std::unique_ptr<Peer>> peers_;
  int patience_ = -1;  // the handler's, milliseconds
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint32_t> drain_ms_{0};
  pid_t owner_;
  pthread_t thread_{};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool runs_ = false;  // run() was called and has not returned; guarded by mutex_
  bool has_thread_ = false;
};

}  // namespace polytrace::agent::control
