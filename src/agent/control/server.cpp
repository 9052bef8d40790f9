// SPDX-License-Identifier: Apache-2.0
#include "agent/control/server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "agent/common/tools/quiet_thread.hpp"

namespace polytrace::agent::control {
namespace {

// In the list for poll().
constexpr std::size_t kOwnPlaces = 3, kPeerPlaces = 3;
constexpr std::uint32_t kGrace = 2000;  // milliseconds for a command that is under way at stop()

std::uint64_t now_ms() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000 +
         static_cast<std::uint64_t>(time.tv_nsec) / 1'000'000;
}

void* run_server(void* server) {
  static_cast<Server*>(server)->run();
  return nullptr;
}

}  // namespace

bool parse_control_option(std::string_view value, ServerConfig& config) {
  constexpr std::string_view kTcp = "tcp:127.0.0.1";
  if (value == "none") return true;
  if (value == "unix") return config.listen_unix = true;
  if (!value.starts_with(kTcp)) return false;
  value.remove_prefix(kTcp.size());
  std::uint32_t port = 0;
  if (!value.empty() && (value[0] != ':' || value.size() == 1 || value.size() > 6)) return false;
  for (const char digit : value.substr(value.empty() ? 0 : 1)) {
    if (digit < '0' || digit > '9') return false;
    port = port * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  if (port > 65535) return false;
  config.tcp_port = static_cast<std::uint16_t>(port);
  return config.listen_tcp = true;
}

Server::Server(Handler& handler, ServerConfig config)
    : handler_(handler),
      config_(std::move(config)),
      room_{handler_, config_, token_, nullptr},
      owner_(getpid()) {}

Server::~Server() { close_sockets(); }

base::result<void> Server::open() {
  auto opened = open_all();
  if (!opened) close_sockets();
  return opened;
}

base::result<void> Server::open_all() {
  wake_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_) return refusal({});
  const bool listens = config_.listen_unix || config_.listen_tcp;
  base::result<void> done;
  if (listens) done = open_folder();
  if (done && config_.listen_tcp) done = open_tcp();
  if (done && !config_.connect.empty()) done = prepare_dialing();
  if (done) dial();
  return done;
}

base::result<void> Server::open_folder() {
  const std::string meeting = config_.folder.empty() ? meeting_folder() : config_.folder;
  const std::string folder = process_folder(meeting, getpid(), start_time_of(getpid()));
  for (const std::string& path : {meeting, folder})
    if (auto made = make_private_folder(path); !made) return made;
  folder_ = folder;
  if (!config_.listen_unix) return {};
  socket_path_ = folder + "/" + std::string(kSocketName);
  auto socket = listen_unix(socket_path_);
  if (!socket) return base::Unexpected(socket.error());
  unix_ = std::move(*socket);
  return {};
}

base::result<void> Server::open_tcp() {
  const bool makes = config_.token_file.empty();
  if (makes) token_path_ = folder_ + "/" + std::string(kTokenName);
  const auto token = makes ? make_token_file(token_path_) : read_private_token(config_.token_file);
  if (!token) return base::Unexpected(token.error());
  token_ = *token;
  auto socket = listen_loopback(config_.tcp_port);
  if (!socket) return base::Unexpected(socket.error());
  tcp_ = std::move(*socket);
  return {};
}

base::result<void> Server::prepare_dialing() {
  const auto seed = static_cast<std::uint64_t>(getpid()) << 32 ^ now_ms() ^ start_time_of(getpid());
  auto dialer = Dialer::to(config_.connect, Backoff(seed, config_.redial_ms));
  if (!dialer) return base::Unexpected(dialer.error());
  dialer_ = std::move(*dialer);
  if (!dialer_.tcp() || !token_.empty()) return {};
  const auto token = read_private_token(config_.token_file);
  if (!token) return base::Unexpected(token.error());
  token_ = *token;
  return {};
}

void Server::dial() {
  const std::uint64_t now = now_ms();
  if (!dialer_.wanted() || dialled_ != nullptr || !dialer_.due(now)) return;
  Descriptor socket = dialer_.dial(now);
  if (!socket) return;
  close_in_children(socket.get());
  const Access access = dialer_.tcp() ? Access::tcp : Access::unix;
  peers_.push_back(std::make_unique<Peer>(room_, std::move(socket), access, now, Side::dialled));
  dialled_ = peers_.back().get();
}

void Server::close_sockets() {
  if (dialled_ != nullptr) close_in_children(-1);
  dialled_ = nullptr;
  peers_.clear();
  unix_.close();
  tcp_.close();
  if (!socket_path_.empty()) unlink(socket_path_.c_str());
  if (!token_path_.empty()) unlink(token_path_.c_str());
  if (!folder_.empty()) rmdir(folder_.c_str());
  folder_.clear();
  socket_path_.clear();
  token_path_.clear();
}

bool Server::start() {
  has_thread_ = start_quiet_thread(thread_, run_server, this) == 0;
  if (has_thread_) pthread_setname_np(thread_, "polytrace-ctl");
  return has_thread_;
}

void Server::run() {
  {
    const std::lock_guard lock(mutex_);
    runs_ = true;
  }
  while (!stopping_) turn();
  leave();
  close_sockets();
  const std::lock_guard lock(mutex_);
  runs_ = false;
  ended_.notify_all();
}

void Server::stream_grew() {
  const std::uint64_t one = 1;
  // What fails here is a full counter: it has woken the server already.
  [[maybe_unused]] const ssize_t done = write(wake_.get(), &one, sizeof(one));
}

bool Server::stop(std::uint32_t drain_ms) {
  // A child made by fork() has none of our threads.
  if (owner_ != getpid()) return true;
  drain_ms_ = drain_ms;
  stopping_ = true;
  stream_grew();
  std::unique_lock lock(mutex_);
  const auto patience = std::chrono::milliseconds(drain_ms + kGrace);
  if (!ended_.wait_for(lock, patience, [this] { return !runs_; })) return false;
  lock.unlock();
  if (has_thread_) pthread_join(thread_, nullptr);
  has_thread_ = false;
  return true;
}

void Server::turn() {
  std::vector<std::uint64_t> readers;
  for (const auto& peer : peers_) readers.push_back(peer->position());
  handler_.set_readers(std::move(readers));
  patience_ = handler_.look_around();
  wait();
  dial();
  if (unix_) accept_from(unix_.get(), Access::unix);
  if (tcp_) accept_from(tcp_.get(), Access::tcp);
  serve_all();
}

void Server::wait() {
  std::vector<pollfd> places = {
      {wake_.get(), POLLIN, 0}, {unix_.get(), POLLIN, 0}, {tcp_.get(), POLLIN, 0}};
  int patience = patience_;
  for (const auto& peer : peers_) {
    const int events = (peer->reads() ? POLLIN : 0) | (peer->writes() ? POLLOUT : 0);
    places.push_back({peer->socket(), static_cast<short>(events), 0});
    places.push_back({peer->converted(), POLLIN, 0});
    places.push_back({peer->wants_to_feed(), POLLOUT, 0});
    const int own = peer->patience();
    if (own >= 0) patience = patience < 0 ? own : std::min(patience, own);
  }
  if (dialer_.wanted() && dialled_ == nullptr) {
    const std::uint64_t now = now_ms();
    const int due = dialer_.due(now) ? 0 : static_cast<int>(dialer_.due_at() - now);
    patience = patience < 0 ? due : std::min(patience, due);
  }
  poll(places.data(), places.size(), patience);
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    if ((places[kOwnPlaces + i * kPeerPlaces].revents & (POLLHUP | POLLERR)) != 0)
      peers_[i]->hang_up();
  }
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &count, sizeof(count));
}

void Server::accept_from(int listener, Access access) {
  for (;;) {
    Descriptor socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;
    // Too many, or another user: the connection closes without a word.
    if (peers_.size() >= config_.max_clients) continue;
    if (access == Access::unix && !is_trusted_peer(socket.get())) continue;
    peers_.push_back(std::make_unique<Peer>(room_, std::move(socket), access, now_ms()));
  }
}

void Server::serve_all() {
  for (const auto& peer : peers_) peer->serve(now_ms());
  forget_gone();
}

void Server::forget_gone() {
  if (dialled_ != nullptr && dialled_->greeted()) dialer_.answered();
  if (dialled_ != nullptr && dialled_->gone()) {
    close_in_children(-1);
    dialled_ = nullptr;
    dialer_.lost(now_ms());
  }
  std::erase_if(peers_, [](const auto& peer) { return peer->gone(); });
}

// The program ends. Who takes data gets the rest, as long as there is time.
void Server::leave() {
  if (unix_) accept_from(unix_.get(), Access::unix);  // who came just before
  unix_.close();
  tcp_.close();
  dialer_ = {};
  for (const auto& peer : peers_) peer->announce_end();
  const std::uint64_t end = now_ms() + drain_ms_;
  serve_all();
  const auto settled = [](const auto& peer) { return peer->settled(now_ms()); };
  while (now_ms() < end && !std::ranges::all_of(peers_, settled)) {
    wait();
    serve_all();
  }
  // A collector is no business of the program's: it finds the rest in the file.
  const auto cut_off = [&](const auto& peer) { return peer.get() != dialled_ && !settled(peer); };
  if (const auto slow = std::ranges::count_if(peers_, cut_off); slow != 0)
    std::fprintf(stderr,
                 "polytrace: the stream of %td clients is cut off: they read too slowly (drain=%u "
                 "ms)\n",
                 slow, drain_ms_.load());
  for (const auto& peer : peers_) peer->bye("the program ends");
  serve_all();
}

}  // namespace polytrace::agent::control
