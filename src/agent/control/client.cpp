// SPDX-License-Identifier: Apache-2.0
#include "agent/control/client.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace polytrace::agent::control {
namespace {

constexpr const char* kGone = "the agent has closed the connection";

std::int64_t client_now_ms() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
}

bool exists(const std::string& path) {
  struct stat found{};
  return lstat(path.c_str(), &found) == 0;
}

void read_item(const Item& item, Welcome& welcome) {
  if (item.is(Field::version)) welcome.version = item.value();
  if (item.is(Field::process)) welcome.process = item.value();
  if (item.is(Field::started)) welcome.started = item.value();
  if (item.is(Field::format) && item.value() <= 2)
    welcome.format = static_cast<StreamFormat>(item.value());
  if (item.is(Field::rights) && item.value() <= 2) welcome.right = static_cast<Right>(item.value());
  if (item.is(Field::state) && item.value() <= 3) welcome.state = static_cast<State>(item.value());
  if (item.is(Field::runtime)) welcome.runtime = item.text();
  if (item.is(Field::agent)) welcome.agent = item.text();
  if (item.is(Field::clock)) welcome.clock = item.text();
  if (item.is(Field::capability)) welcome.capabilities.emplace_back(item.text());
  if (item.is(Field::token)) welcome.token = item.text();
  if (item.is(Field::label)) welcome.labels.emplace_back(item.text());
  if (item.is(Field::stream)) welcome.stream = item.value();
}

void read_item(const Item& item, Answer& answer) {
  if (item.is(Field::outcome) && item.value() <= 5)
    answer.outcome = static_cast<Outcome>(item.value());
  if (item.is(Field::state) && item.value() <= 3) answer.state = static_cast<State>(item.value());
  if (item.is(Field::text)) answer.text = item.text();
  if (!item.is(Field::figure)) return;
  const Figure figure = figure_of(item);
  answer.figures.push_back({std::string(figure.name), figure.value});
}

template <class T>
void read_body(View body, T& into) {
  Items items(body);
  for (Item item; items.next(item);) read_item(item, into);
}

std::string text_of(View body) {
  Items items(body);
  for (Item item; items.next(item);) {
    if (item.is(Field::text)) return std::string(item.text());
  }
  return {};
}

}  // namespace

base::result<void> Client::connect_process(pid_t process) {
  const std::uint64_t started = start_time_of(process);
  if (started == 0) return refusal("there is no process " + std::to_string(process));
  const pid_t own_id = own_id_of(process);
  for (const std::string& folder : meeting_folders_of(process)) {
    const std::string place = process_folder(folder, own_id, started);
    const std::string path = place + "/" + std::string(kSocketName);
    if (!exists(path)) continue;
    if (auto connected = connect_path(path); !connected) return connected;
    ucred peer{};
    if (peer_of(socket_.get(), peer) && peer.pid == process && is_private_folder(place, peer.uid))
      return {};
    socket_.close();
    return refusal(path + ": not the agent of process " + std::to_string(process) +
                   " answers there, or others can enter that folder");
  }
  return refusal("process " + std::to_string(process) +
                 " has no control socket: was its agent started with control=unix?");
}

base::result<void> Client::connect_path(const std::string& path) {
  auto socket = connect_unix(path);
  if (!socket) return base::Unexpected(socket.error());
  socket_ = std::move(*socket);
  if (geteuid() == 0 || is_trusted_peer(socket_.get())) return {};
  socket_.close();
  return refusal(path + ": who answers there is another user");
}

base::result<void> Client::connect_port(std::uint16_t port) {
  auto socket = connect_loopback(port);
  if (!socket) return base::Unexpected(socket.error());
  socket_ = std::move(*socket);
  return {};
}

base::result<Welcome> Client::greet(const Hello& hello) {
  Body body;
  body.number(Field::version, kProtocolVersion);
  if (!hello.token.empty()) body.text(Field::token, hello.token);
  if (hello.accepts.tbf) body.number(Field::accepts, static_cast<std::uint64_t>(StreamFormat::tbf));
  if (hello.accepts.native)
    body.number(Field::accepts, static_cast<std::uint64_t>(StreamFormat::native));
  body.number(Field::control, hello.wants_control ? 1 : 0);
  Frame frame;
  const bool got =
      send({Message::hello, 0, ++request_, body.view()}) && receive(frame, kPatience) == Got::frame;
  if (!got) return refusal(kGone);
  if (frame.message != Message::welcome) return refusal(text_of(frame.body));
  Welcome welcome;
  read_body(frame.body, welcome);
  return welcome;
}

base::result<Answer> Client::command(Message message, const Body& body, int patience_ms) {
  if (!send({message, 0, ++request_, body.view()})) return refusal(kGone);
  return await(request_, message == Message::heap_dump, patience_ms);
}

base::result<Answer> Client::set_filters(const std::vector<std::string>& rules) {
  ++request_;
  Body body;
  for (const std::string& rule : rules) {
    if (body.view().size() + rule.size() > kMaxCommand / 2) {
      if (!send({Message::set_filters, kContinues, request_, body.view()})) break;
      body = {};
    }
    body.text(Field::rule, rule);
  }
  if (!send({Message::set_filters, 0, request_, body.view()})) return refusal(kGone);
  return await(request_, false, kPatience);
}

base::result<Answer> Client::await(std::uint32_t request, bool is_dump, int patience_ms) {
  const std::int64_t end = client_now_ms() + patience_ms;
  Frame frame;
  for (std::int64_t left = patience_ms; left >= 0; left = end - client_now_ms()) {
    const Got got = receive(frame, static_cast<int>(left));
    if (got == Got::end || got == Got::damaged) break;
    if (got == Got::nothing) continue;
    if (frame.message == Message::notice || frame.message == Message::bye)
      notices_.push_back(text_of(frame.body));
    const bool ours = frame.request == request &&
                      (frame.message == Message::answer || frame.message == Message::done);
    if (!ours) continue;
    Answer answer;
    read_body(frame.body, answer);
    const bool begun = is_dump && frame.message == Message::answer;
    if (!begun || answer.outcome != Outcome::ok) return answer;
  }
  std::string why = client_now_ms() >= end ? "the agent does not answer" : kGone;
  if (client_now_ms() < end && !notices_.empty() && !notices_.back().empty())
    why += ": " + notices_.back();
  return refusal(std::move(why));
}

bool Client::send(const Frame& frame) {
  Bytes bytes;
  append_frame(bytes, frame);
  return send_all(bytes);
}

bool Client::send_text(std::string_view text) {
  return send_all({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

bool Client::send_all(View bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) bytes = bytes.subspan(static_cast<std::size_t>(sent));
    const bool full = sent < 0 && (errno == EAGAIN || errno == EINTR);
    if (sent < 0 && !(full && wait(POLLOUT, kPatience))) return false;
  }
  return true;
}

bool Client::wait(short what, int patience_ms) {
  pollfd place{socket_.get(), what, 0};
  const std::int64_t end = client_now_ms() + patience_ms;
  for (std::int64_t left = patience_ms; left >= 0; left = end - client_now_ms()) {
    const int ready = poll(&place, 1, static_cast<int>(left));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return false;
  }
  return false;
}

Client::Got Client::receive(Frame& frame, int patience_ms) {
  const std::int64_t end = client_now_ms() + patience_ms;
  std::array<std::uint8_t, 64U << 10> bytes;
  for (;;) {
    const auto cut = frames_.next(frame);
    if (cut == FrameBuffer::Cut::frame) return Got::frame;
    if (cut == FrameBuffer::Cut::impossible) return Got::damaged;
    const std::int64_t left = end - client_now_ms();
    if (!wait(POLLIN, static_cast<int>(left > 0 ? left : 0))) return Got::nothing;
    const ssize_t got = recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return Got::end;
    if (got > 0) frames_.append(View(bytes).first(static_cast<std::size_t>(got)));
  }
}

std::string Client::receive_text(int patience_ms, bool& ended) {
  std::array<char, 64U << 10> bytes;
  if (!wait(POLLIN, patience_ms)) return {};
  const ssize_t got = recv(socket_.get(), bytes.data(), bytes.size(), 0);
  ended = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : std::string();
}

void Client::close_output() { shutdown(socket_.get(), SHUT_WR); }

base::result<Answer> stop_recording(pid_t process) {
  Client client;
  if (const auto connected = client.connect_process(process); !connected)
    return base::Unexpected(connected.error());
  if (const auto welcome = client.greet({{}, true, {}}); !welcome)
    return base::Unexpected(welcome.error());
  return client.command(Message::stop, {});
}

}  // namespace polytrace::agent::control
