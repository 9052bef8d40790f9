// SPDX-License-Identifier: Apache-2.0
#include "cli/record/jvm_attach.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "agent/control/endpoint.hpp"

namespace polytrace::cli {
namespace {

using agent::control::Descriptor;
using std::chrono::milliseconds;

base::Unexpected refuse(base::Code code, pid_t process, std::string_view what) {
  return base::fail(code, fmt::format("process {}: {}", process, what));
}

// The rest of the line of /proc/PROCESS/status that begins with `name`.
std::string status_of(pid_t process, std::string_view name) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t value = line.find_first_not_of(" \t", name.size());
    return value == line.npos ? std::string() : line.substr(value);
  }
  return {};
}

bool has_jvm(pid_t process) {
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with("/libjvm.so")) return true;
  }
  return false;
}

// Whether the process has a handler for SIGQUIT.
bool catches_quit(pid_t process) {
  const std::string mask = status_of(process, "SigCgt:");
  std::uint64_t caught = 0;
  std::from_chars(mask.data(), mask.data() + mask.size(), caught, 16);
  return (caught >> (SIGQUIT - 1) & 1) != 0;
}

// Its id as it sees itself: in a container, another one.
pid_t own_id(pid_t process) {
  const std::string ids = status_of(process, "NSpid:");
  const std::size_t last = ids.find_last_of(" \t");
  const std::string_view text = std::string_view(ids).substr(last == ids.npos ? 0 : last + 1);
  pid_t id = process;
  std::from_chars(text.data(), text.data() + text.size(), id);
  return id;
}

// /tmp as the process sees it: in a container, another one.
std::string temporary_folder(pid_t process) {
  return fmt::format("/proc/{}/{}/tmp", process, "root");
}

bool listens(const std::string& path) {
  struct stat found{};
  return stat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode);
}

// The file that makes the JVM listen, for as long as this object lives.
class Trigger {
 public:
  Trigger(pid_t process, pid_t id) {
    for (const std::string& folder :
         {fmt::format("/proc/{}/cwd", process), temporary_folder(process)}) {
      path_ = fmt::format("{}/.attach_pid{}", folder, id);
      const Descriptor file(
          open(path_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
      if (file) return;
    }
    path_.clear();
  }
  Trigger(const Trigger&) = delete;
  Trigger& operator=(const Trigger&) = delete;
  ~Trigger() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  bool made() const { return !path_.empty(); }

 private:
  std::string path_;
};

base::result<void> make_listen(pid_t process, const std::string& socket, milliseconds patience) {
  if (listens(socket)) return {};
  const Trigger trigger(process, own_id(process));
  if (!trigger.made() || kill(process, SIGQUIT) != 0)
    return refuse(base::Code::open_failed, process, std::strerror(errno));
  constexpr milliseconds kStep{20};
  for (milliseconds waited{0}; waited < patience; waited += kStep) {
    if (listens(socket)) return {};
    std::this_thread::sleep_for(kStep);
  }
  return refuse(base::Code::open_failed, process,
                "the JVM does not answer; is it started with -XX:+DisableAttachMechanism?");
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    if (sent <= 0) std::this_thread::sleep_for(milliseconds(5));
  }
  return true;
}

// What the JVM says, to the end; it closes the connection when it has loaded the agent.
std::string receive_all(int socket) {
  constexpr std::size_t kMost = 64U << 10;
  constexpr int kPatience = 60'000;
  std::string all;
  std::array<char, 4096> bytes{};
  pollfd place{socket, POLLIN, 0};
  while (all.size() < kMost && poll(&place, 1, kPatience) > 0) {
    const ssize_t got = recv(socket, bytes.data(), bytes.size(), 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) break;
    if (got > 0) all.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return all;
}

// "0\nreturn code: 0\n" is success; JDK 8 says "0\n0\n". Else a number, then sentences.
bool is_success(std::string_view said) {
  if (!said.starts_with("0\n")) return false;
  said.remove_prefix(2);
  constexpr std::string_view kCode = "return code: ";
  if (said.starts_with(kCode)) said.remove_prefix(kCode.size());
  return said.empty() || said.starts_with("0\n") || said == "0";
}

std::string one_line(std::string text) {
  for (char& letter : text) {
    if (letter == '\n') letter = ' ';
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

base::result<void> check_jvm(pid_t process) {
  const std::string users = status_of(process, "Uid:");
  if (users.empty()) return refuse(base::Code::usage, process, "there is none");
  unsigned real = 0, effective = 0;
  const char* const end = users.data() + users.size();
  const auto first = std::from_chars(users.data(), end, real);
  if (first.ptr < end) std::from_chars(first.ptr + 1, end, effective);
  if (effective != geteuid())
    return refuse(
        base::Code::open_failed, process,
        fmt::format("belongs to another user: run polytrace as that one (uid {})", effective));
  if (!has_jvm(process)) return refuse(base::Code::usage, process, "is no JVM");
  if (catches_quit(process)) return {};
  return refuse(base::Code::open_failed, process,
                "does not listen to the signal that asks it (-Xrs?)");
}

base::result<void> load_into_jvm(pid_t process, const std::string& path, const std::string& options,
                                 milliseconds patience) {
  const std::string address =
      fmt::format("{}/.java_pid{}", temporary_folder(process), own_id(process));
  if (const auto ready = make_listen(process, address, patience); !ready) return ready;
  std::string why;
  const Descriptor socket = agent::control::connect_unix(address, why);
  if (!socket) return refuse(base::Code::open_failed, process, why);
  std::string request = "1";
  for (const std::string_view part :
       {std::string_view(), std::string_view("load"), std::string_view(path),
        std::string_view("true"), std::string_view(options)}) {
    if (!part.empty()) request += part;
    request += '\0';
  }
  if (!send_all(socket.get(), request))
    return refuse(base::Code::open_failed, process, std::strerror(errno));
  const std::string said = receive_all(socket.get());
  if (is_success(said)) return {};
  return refuse(base::Code::open_failed, process,
                fmt::format("the agent was not loaded: {}", one_line(said)));
}

}  // namespace polytrace::cli
