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

constexpr std::string_view kGone = "the agent has closed the connection";

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

bool Client::connect_process(pid_t process, std::string& why) {
  const std::uint64_t started = start_time_of(process);
  if (started == 0) {
    why = "there is no process " + std::to_string(process);
    return false;
  }
  for (const std::string& folder : meeting_folders_of(process)) {
    const std::string place = process_folder(folder, process, started);
    const std::string path = place + "/" + std::string(kSocketName);
    if (!exists(path)) continue;
    if (!connect_path(path, why)) return false;
    ucred peer{};
    if (peer_of(socket_.get(), peer) && peer.pid == process && is_private_folder(place, peer.uid))
      return true;
    socket_.close();
    why = path + ": not the agent of process " + std::to_string(process) +
          " answers there, or others can enter that folder";
    return false;
  }
  why = "process " + std::to_string(process) +
        " has no control socket: was its agent started with " + "control=unix?";
  return false;
}

bool Client::connect_path(const std::string& path, std::string& why) {
  socket_ = connect_unix(path, why);
  if (!socket_) return false;
  if (geteuid() == 0 || is_trusted_peer(socket_.get())) return true;
  socket_.close();
  why = path + ": who answers there is another user";
  return false;
}

bool Client::connect_port(std::uint16_t port, std::string& why) {
  socket_ = connect_loopback(port, why);
  return static_cast<bool>(socket_);
}

bool Client::greet(const Hello& hello, Welcome& welcome, std::string& why) {
  Body body;
  body.number(Field::version, kProtocolVersion);
  if (!hello.token.empty()) body.text(Field::token, hello.token);
  if (hello.accepts.tbf)
    body.number(Field::accepts, static_cast<std::uint64_t>(StreamFormat::kTbf));
  if (hello.accepts.native)
    body.number(Field::accepts, static_cast<std::uint64_t>(StreamFormat::kNative));
  body.number(Field::control, hello.wants_control ? 1 : 0);
  Frame frame;
  const bool got = send({Message::hello, 0, ++request_, body.view()}) &&
                   receive(frame, kPatience) == Got::kFrame;
  if (got && frame.message == Message::welcome) {
    read_body(frame.body, welcome);
    return true;
  }
  why = got ? text_of(frame.body) : std::string(kGone);
  return false;
}

bool Client::command(Message message, const Body& body, Answer& answer, std::string& why,
                     int patience_ms) {
  if (send({message, 0, ++request_, body.view()}))
    return await(request_, message == Message::heap_dump, answer, why, patience_ms);
  why = kGone;
  return false;
}

bool Client::set_filters(const std::vector<std::string>& rules, Answer& answer, std::string& why) {
  ++request_;
  Body body;
  for (const std::string& rule : rules) {
    if (body.view().size() + rule.size() > kMaxCommand / 2) {
      if (!send({Message::set_filters, kContinues, request_, body.view()})) break;
      body = {};
    }
    body.text(Field::rule, rule);
  }
  if (send({Message::set_filters, 0, request_, body.view()}))
    return await(request_, false, answer, why, kPatience);
  why = kGone;
  return false;
}

bool Client::await(std::uint32_t request, bool is_dump, Answer& answer, std::string& why,
                   int patience_ms) {
  const std::int64_t end = client_now_ms() + patience_ms;
  Frame frame;
  for (std::int64_t left = patience_ms; left >= 0; left = end - client_now_ms()) {
    const Got got = receive(frame, static_cast<int>(left));
    if (got == Got::kEnd || got == Got::kDamaged) break;
    if (got == Got::kNothing) continue;
    if (frame.message == Message::notice || frame.message == Message::bye)
      notices_.push_back(text_of(frame.body));
    const bool ours = frame.request == request &&
                      (frame.message == Message::answer || frame.message == Message::done);
    if (!ours) continue;
    answer = {};
    read_body(frame.body, answer);
    const bool begun = is_dump && frame.message == Message::answer;
    if (!begun || answer.outcome != Outcome::kOk) return true;
  }
  why = client_now_ms() >= end ? "the agent does not answer" : std::string(kGone);
  if (client_now_ms() < end && !notices_.empty() && !notices_.back().empty())
    why += ": " + notices_.back();
  return false;
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
    if (cut == FrameBuffer::Cut::kFrame) return Got::kFrame;
    if (cut == FrameBuffer::Cut::kImpossible) return Got::kDamaged;
    const std::int64_t left = end - client_now_ms();
    if (!wait(POLLIN, static_cast<int>(left > 0 ? left : 0))) return Got::kNothing;
    const ssize_t got = recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return Got::kEnd;
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

}  // namespace polytrace::agent::control
