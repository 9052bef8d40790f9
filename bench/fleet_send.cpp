// SPDX-License-Identifier: Apache-2.0
// Many programs that are recorded, as a collector sees them: streams of native blocks on its
// socket, each with a connection of its own, from one thread. Blocks are made once and stamped for
// each stream and moment, so that sending costs little beside collecting. Credit, resumption and
// redialling are an agent's.
//   fleet_send SOCKET NAME=NUMBER...
//     streams   programs                            seconds   of sending
//     rate      events of each a second; 0: as many as the collector takes
//     step      nanoseconds between two events of a program (1e9/rate)
//     block     events of a block                   spread    other callees that a caller has
//     services  that the programs are of            behind    seconds that their clocks are
// Prints a line of JSON a second, and at the end what was sent:
// the truth for whoever counts it again.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "agent/control/protocol/frames.hpp"
#include "base/io/sink.hpp"
#include "event/batch.hpp"
#include "format/native/framing.hpp"
#include "format/native/native.hpp"
#include "format/native/wire/sealing.hpp"

namespace {

namespace event = polytrace::event;
namespace native = polytrace::format::native;
using namespace polytrace::agent::control;
using polytrace::base::Id;
using polytrace::base::Time;
using Clock = std::chrono::steady_clock;

constexpr Id kThread = 1;
constexpr Id kFirstMethod = 100;
constexpr std::size_t kDepth = 8;
constexpr std::size_t kMostAtOnce = 64 << 10;
constexpr std::chrono::milliseconds kRedial{200};
constexpr std::chrono::seconds kPatience{240};

std::map<std::string, std::uint64_t> options = {{"streams", 10},  {"seconds", 5},  {"rate", 20'000},
                                                {"step", 0},      {"block", 4000}, {"spread", 1},
                                                {"services", 20}, {"behind", 0}};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<std::byte> blocks_of(const event::Batch& batch) {
  std::vector<std::byte> bytes;
  auto writer = native::create_writer(polytrace::base::memory_sink(bytes), {});
  if (!writer || !(*writer)->write(batch) || !(*writer)->finish()) std::exit(1);
  return bytes;
}

// A walk over a tree of calls that begins and ends with nothing open.
class Template {
 public:
  Template(std::uint64_t events, std::uint64_t step, std::uint64_t spread) : step_(step) {
    event::Batch batch;
    const std::uint16_t slot = batch.thread_slot(kThread);
    std::vector<Id> stack;
    std::uint64_t random = 88172645463325252U;
    for (std::uint64_t i = 0; i < events; ++i) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      const bool must_leave = stack.size() >= events - i;
      const bool enter =
          !must_leave && (stack.size() < 2 || (stack.size() < kDepth && (random >> 33) % 2 == 0));
      const auto time = static_cast<Time>(i * step);
      if (enter) {
        // The callee follows from its caller, but for one call in four.
        const std::uint64_t turn = (random >> 40) % 4 == 0 ? (random >> 50) % (spread + 1) : 0;
        stack.push_back(stack.empty() ? kFirstMethod
                                      : (stack.back() * 7 + turn) % 64 + kFirstMethod + 1);
        batch.add(time, slot, stack.back(), event::Enter{});
        ++calls_;
      } else {
        batch.add(time, slot, stack.back(), event::Leave{});
        stack.pop_back();
      }
      own_ += i + 1 < events && !stack.empty() ? step : 0;
    }
    events_ = events;
    bytes_ = blocks_of(batch);
    bytes_.erase(bytes_.begin(), bytes_.begin() + sizeof(native::StreamHeader));
    end_.assign(bytes_.end() - sizeof(native::BlockHeader), bytes_.end());
    bytes_.resize(bytes_.size() - sizeof(native::BlockHeader));
    if (native::load_header(bytes_.data()).length + sizeof(native::BlockHeader) != bytes_.size()) {
      std::fputs("fleet_send: so many events are more than a block\n", stderr);
      std::exit(1);
    }
  }

  std::size_t size() const { return bytes_.size(); }
  std::uint64_t events() const { return events_; }
  std::uint64_t calls() const { return calls_; }
  std::uint64_t own() const { return own_; }
  std::uint64_t span() const { return events_ * step_; }
  // The nth block of events, from `from` on.
  std::vector<std::byte> block(std::uint64_t number, std::uint64_t index) const {
    std::vector<std::byte> bytes = bytes_;
    native::BlockHeader header = native::load_header(bytes.data());
    header.index = index;
    const std::uint64_t begin = number * span();
    header.first_tick += begin;
    header.last_tick += begin;
    seal_header(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
  }
  std::vector<std::byte> end(std::uint64_t index) const {
    std::vector<std::byte> bytes = end_;
    native::BlockHeader header = native::load_header(bytes.data());
    header.index = index;
    seal_header(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
  }

 private:
  // The payload's checksum stays.
  static void seal_header(native::BlockHeader& header) {
    header.crc = native::checksum(native::summed(header));
  }

  std::uint64_t step_;
  std::uint64_t events_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t own_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<std::byte> end_;
};

// What tells who a stream is of.
std::vector<std::byte> head_of(std::uint64_t stream, std::uint64_t number, Time wall) {
  event::Batch batch;
  const std::uint16_t slot = batch.thread_slot(kThread);
  event::Process process;
  process.runtime = "scripted";
  process.runtime_version = "1";
  batch.add(0, slot, number + 1, process);
  batch.add(0, slot, polytrace::base::kNoId, event::Clock{.wall = wall});
  const auto label = [&](std::string_view key, const std::string& value) {
    event::Setting setting;
    setting.key = batch.keep(fmt::format("label.{}", key));
    setting.value = batch.keep(value);
    batch.add(0, slot, polytrace::base::kNoId, setting);
  };
  label("service", fmt::format("service-{}", number % options["services"]));
  label("number", fmt::to_string(number));
  batch.add(0, slot, kThread, event::Thread{.life = event::Life::begin});
  for (Id i = 0; i <= 64; ++i) {
    event::Method method;
    method.name = batch.keep(fmt::format("com.example.shop.Type{}.method{}(int)", i / 8, i));
    batch.add(0, slot, kFirstMethod + i, method);
  }
  std::vector<std::byte> bytes = blocks_of(batch);
  bytes.resize(bytes.size() - sizeof(native::BlockHeader));
  native::StreamHeader header;
  header.stream = stream;
  seal(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

struct Program {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;
  std::vector<std::byte> head{};
  double phase = 0;
  int socket = -1;
  Clock::time_point redial{};
  FrameBuffer heard{kMaxCommand};
  bool greeted = false;
  std::uint64_t offset = 0;  // sent
  std::uint64_t kept = 0;
  std::uint64_t credit = 0;
  std::uint64_t due = 0;  // blocks of events
  Bytes out{};            // of a frame that is half sent
  std::size_t out_sent = 0;
  bool done = false;
};

class Fleet {
 public:
  Fleet(std::string socket, const Template& blocks) : path_(std::move(socket)), blocks_(blocks) {
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count();
    const std::uint64_t count = options["streams"];
    programs_.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      Program& one = programs_[i];
      one.number = i;
      one.stream = (static_cast<std::uint64_t>(now) << 16) + i + 1;
      one.phase = static_cast<double>(i) / static_cast<double>(count);
      one.head = head_of(one.stream, i, now - static_cast<Time>(options["behind"]) * 1'000'000'000);
    }
  }

  int run() {
    begin_ = Clock::now();
    auto told = begin_;
    std::vector<epoll_event> ready(256);
    for (;;) {
      const bool ends = seconds_since(begin_) >= static_cast<double>(options["seconds"]);
      if (ends && !ending_) {
        ending_ = true;
        ended_ = Clock::now();
      }
      std::size_t left = 0;
      for (Program& one : programs_) left += turn(one);
      if (left == 0) break;
      if (ending_ && Clock::now() - ended_ > kPatience) break;
      const bool busy = options["rate"] == 0 || programs_.size() < 2000;
      const int count =
          epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), busy ? 5 : 50);
      for (int i = 0; i < count; ++i) hear(programs_[ready[static_cast<std::size_t>(i)].data.u64]);
      if (Clock::now() - told >= std::chrono::seconds(1)) {
        told = Clock::now();
        tell("progress");
      }
    }
    tell("sent");
    return std::ranges::all_of(programs_, &Program::done) ? 0 : 1;
  }

 private:
  std::uint64_t end_of(const Program& one) const {
    return one.head.size() + one.due * blocks_.size() + (ending_ ? sizeof(native::BlockHeader) : 0);
  }

  // Whether there is more to do.
  bool turn(Program& one) {
    if (one.done) return false;
    if (one.socket < 0) return dial(one), true;
    if (!one.greeted) return true;
    if (!ending_ && options["rate"] != 0) {
      const double blocks = seconds_since(begin_) * static_cast<double>(options["rate"]) /
                                static_cast<double>(blocks_.events()) +
                            one.phase - 1;
      one.due = std::max(one.due, static_cast<std::uint64_t>(std::max(blocks, 0.0)));
    }
    while (flush(one)) {
      // Unpaced: the next block is there as soon as the one before has gone.
      if (!ending_ && options["rate"] == 0 && one.offset == end_of(one)) ++one.due;
      const std::uint64_t end = end_of(one);
      if (one.offset == end || one.credit == 0) break;
      send_data(one, std::min({end - one.offset, one.credit, std::uint64_t{kMostAtOnce}}));
    }
    // An end that was told is the last that is heard of a stream.
    if (ending_ && one.kept == end_of(one)) {
      tell_end(one);
      close(one);
      one.done = true;
    }
    return !one.done;
  }

  void dial(Program& one) {
    if (Clock::now() < one.redial) return;
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
    if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::close(socket);
      one.redial = Clock::now() + kRedial;
      return;
    }
    one.socket = socket;
    one.heard = FrameBuffer(kMaxCommand);
    one.greeted = false;
    one.credit = 0;
    one.out.clear();
    one.out_sent = 0;
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.u64 = one.number;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &wanted);
    ++dials_;
  }

  void close(Program& one) {
    ::close(one.socket);
    one.socket = -1;
    greeted_ -= one.greeted;
    one.greeted = false;
    one.redial = Clock::now() + kRedial;
  }

  void send(Program& one, Message message, const Body& body) {
    append_frame(one.out, {message, 0, 0, body.view()});
  }

  void tell_end(Program& one) {
    Body body;
    body.number(Field::code, static_cast<std::uint64_t>(NoticeCode::end_of_stream));
    send(one, Message::notice, body);
    flush(one);
  }

  // The bytes of the stream from its offset on.
  void fill(const Program& one, std::uint64_t size) {
    content_.clear();
    std::uint64_t at = one.offset;
    while (content_.size() < size) {
      std::uint64_t begin = 0;
      std::vector<std::byte> made;
      const std::vector<std::byte>* piece = &one.head;
      if (at >= one.head.size()) {
        const std::uint64_t number = (at - one.head.size()) / blocks_.size();
        begin = one.head.size() + number * blocks_.size();
        made = number < one.due ? blocks_.block(number, number + 1) : blocks_.end(number + 1);
        piece = &made;
      }
      const std::uint64_t count = std::min(begin + piece->size() - at, size - content_.size());
      const auto* const first = reinterpret_cast<const std::uint8_t*>(piece->data()) + (at - begin);
      content_.insert(content_.end(), first, first + count);
      at += count;
    }
  }

  void send_data(Program& one, std::uint64_t size) {
    fill(one, size);
    Body body;
    body.number(Field::stream, one.stream).number(Field::offset, one.offset);
    body.bytes(Field::content, content_);
    send(one, Message::data, body);
    one.offset += size;
    one.credit -= size;
    bytes_ += size;
  }

  // False: the socket takes no more, or is gone.
  bool flush(Program& one) {
    while (one.out_sent < one.out.size()) {
      const ssize_t sent = ::send(one.socket, one.out.data() + one.out_sent,
                                  one.out.size() - one.out_sent, MSG_NOSIGNAL);
      if (sent < 0) {
        if (errno != EAGAIN) close(one);
        return false;
      }
      one.out_sent += static_cast<std::size_t>(sent);
    }
    one.out.clear();
    one.out_sent = 0;
    return true;
  }

  void hear(Program& one) {
    if (one.socket < 0) return;
    std::uint8_t bytes[16 << 10];
    const ssize_t got = recv(one.socket, bytes, sizeof bytes, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) return close(one);
    if (got < 0) return;
    one.heard.append({bytes, static_cast<std::size_t>(got)});
    Frame frame;
    while (one.socket >= 0 && one.heard.next(frame) == FrameBuffer::Cut::frame) obey(one, frame);
  }

  void obey(Program& one, const Frame& frame) {
    std::uint64_t stream = 0, offset = 0, bytes = 0;
    Items items(frame.body);
    for (Item item; items.next(item);) {
      if (item.is(Field::stream)) stream = item.value();
      if (item.is(Field::offset)) offset = item.value();
      if (item.is(Field::bytes)) bytes = item.value();
      if (item.is(Field::text)) bye_ = item.text();
    }
    if (frame.message == Message::hello) {
      Body body;
      body.number(Field::format, 2);  // native
      body.text(Field::agent, "fleet_send").text(Field::runtime, "scripted");
      body.number(Field::stream, one.stream);
      send(one, Message::welcome, body);
      flush(one);
    } else if (frame.message == Message::credit) {
      if (!one.greeted) {
        one.greeted = true;
        ++greeted_;
        one.offset = stream == one.stream ? offset : 0;
        resumed_ += one.offset != 0;
      }
      one.credit += bytes;
    } else if (frame.message == Message::status) {
      append_frame(one.out, {Message::answer, 0, frame.request, {}});
      flush(one);
    } else if (frame.message == Message::kept) {
      one.kept = std::max(one.kept, offset);
    } else if (frame.message == Message::bye) {
      ++byes_;
      close(one);
    }
  }

  void tell(const char* what) {
    std::uint64_t blocks = 0, done = 0, due = 0;
    for (const Program& one : programs_) {
      blocks += one.offset < one.head.size() ? 0 : (one.offset - one.head.size()) / blocks_.size();
      due += one.due;
      done += one.done;
    }
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto time = [](const timeval& of) {
      return static_cast<double>(of.tv_sec) + static_cast<double>(of.tv_usec) / 1e6;
    };
    fmt::print(
        "{{\"what\": \"{}\", \"seconds\": {:.2f}, \"greeted\": {}, \"resumed\": {}, \"dials\": {}, "
        "\"byes\": {}, \"done\": {}, \"blocks\": {}, \"behind\": {}, \"events\": {}, \"calls\": "
        "{}, "
        "\"own_ns\": {}, \"bytes\": {}, \"stream_bytes\": {}, \"cpu\": {:.2f}, \"bye\": \"{}\"}}\n",
        what, seconds_since(begin_), greeted_, resumed_, dials_, byes_, done, blocks, due - blocks,
        blocks * blocks_.events(), blocks * blocks_.calls(), blocks * blocks_.own(), bytes_,
        blocks * blocks_.size(), time(used.ru_utime) + time(used.ru_stime), bye_);
    std::fflush(stdout);
  }

  std::string path_;
  const Template& blocks_;
  int epoll_ = -1;
  std::vector<Program> programs_;
  Clock::time_point begin_{}, ended_{};
  bool ending_ = false;
  std::uint64_t greeted_ = 0, resumed_ = 0, dials_ = 0, byes_ = 0, bytes_ = 0;
  Bytes content_;
  std::string bye_;
};

}  // namespace

int main(int count, char** words) {
  const auto usage = [] {
    std::fputs("usage: fleet_send SOCKET NAME=NUMBER...: bench/fleet_send.cpp says which\n",
               stderr);
    return 2;
  };
  if (count < 2) return usage();
  for (int i = 2; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t mark = word.find('=');
    const auto known = options.find(word.substr(0, mark));
    if (mark == std::string::npos || known == options.end()) return usage();
    known->second = std::strtoull(word.c_str() + mark + 1, nullptr, 10);
  }
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  std::signal(SIGPIPE, SIG_IGN);
  const std::uint64_t step = options["step"] != 0   ? options["step"]
                             : options["rate"] != 0 ? 1'000'000'000 / options["rate"]
                                                    : 50'000;
  const Template blocks(options["block"], step, options["spread"]);
  return Fleet(words[1], blocks).run();
}
