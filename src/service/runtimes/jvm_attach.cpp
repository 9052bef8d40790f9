// SPDX-License-Identifier: Apache-2.0
#include "service/runtimes/jvm_attach.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"

namespace polytrace::service {
namespace {

using agent::control::Descriptor;
using std::chrono::milliseconds;

base::Unexpected not_this(base::Code code, pid_t process, std::string_view what) {
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

// What the process has at that absolute path: in a container, something else. A link there leads
// where the process would come to, not to a place of ours.
Descriptor open_as_seen_by(pid_t process, const std::string& path, unsigned kind) {
  const Descriptor root(
      open(fmt::format("/proc/{}/root", process).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | kind;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const char* const inside = path.c_str() + 1;
  Descriptor found(static_cast<int>(syscall(SYS_openat2, root.get(), inside, &how, sizeof how)));
  if (!found && errno == ENOSYS)
    return Descriptor(openat(root.get(), inside, static_cast<int>(how.flags) | O_NOFOLLOW));
  return found;
}

// The JVM's socket, which only it or root can have made: it belongs to the user whom check_jvm()
// found us to be, and is nobody else's to write to.
Descriptor open_socket_file(const Descriptor& folder, const std::string& name) {
  Descriptor file(openat(folder.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat found{};
  if (!file || fstat(file.get(), &found) != 0 || !S_ISSOCK(found.st_mode)) return {};
  const bool trusted = found.st_uid == geteuid() || found.st_uid == 0;
  constexpr mode_t kOthers = S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
  return trusted && (found.st_mode & kOthers) == 0 ? std::move(file) : Descriptor();
}

// The file that makes the JVM listen, for as long as this object lives.
class Trigger {
 public:
  Trigger(pid_t process, pid_t id, const Descriptor& temporary)
      : name_(fmt::format(".attach_pid{}", id)),
        own_(open(fmt::format("/proc/{}/cwd", process).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    for (const int folder : {own_.get(), temporary.get()}) {
      if (folder_ < 0 && make_in(folder)) folder_ = folder;
    }
  }
  Trigger(const Trigger&) = delete;
  Trigger& operator=(const Trigger&) = delete;
  ~Trigger() {
    if (made()) unlinkat(folder_, name_.c_str(), 0);
  }
  bool made() const { return folder_ >= 0; }

 private:
  // One that is there already was left by somebody who was ended meanwhile; it is not waited for.
  bool make_in(int folder) const {
    const Descriptor file(openat(folder, name_.c_str(),
                                 O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                                 S_IRUSR | S_IWUSR));
    struct stat found{};
    return file && fstat(file.get(), &found) == 0 && S_ISREG(found.st_mode) &&
           found.st_uid == geteuid();
  }

  std::string name_;
  Descriptor own_;
  int folder_ = -1;  // a descriptor of another
};

base::result<Descriptor> make_listen(pid_t process, milliseconds patience) {
  const pid_t id = agent::control::own_id_of(process);
  const Descriptor folder = open_as_seen_by(process, "/tmp", O_DIRECTORY);
  const std::string name = fmt::format(".java_pid{}", id);
  if (Descriptor ready = open_socket_file(folder, name)) return ready;
  const Trigger trigger(process, id, folder);
  if (!trigger.made() || kill(process, SIGQUIT) != 0)
    return not_this(base::Code::open_failed, process, std::strerror(errno));
  constexpr milliseconds kStep{20};
  for (milliseconds waited{0}; waited < patience; waited += kStep) {
    if (Descriptor ready = open_socket_file(folder, name)) return ready;
    std::this_thread::sleep_for(kStep);
  }
  return not_this(base::Code::open_failed, process,
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
  if (users.empty()) return not_this(base::Code::usage, process, "there is none");
  unsigned real = 0, effective = 0;
  const char* const end = users.data() + users.size();
  const auto first = std::from_chars(users.data(), end, real);
  if (first.ptr < end) std::from_chars(first.ptr + 1, end, effective);
  if (effective != geteuid())
    return not_this(
        base::Code::open_failed, process,
        fmt::format("belongs to another user: run polytrace as that one (uid {})", effective));
  if (!has_jvm(process)) return not_this(base::Code::usage, process, "is no JVM");
  if (catches_quit(process)) return {};
  return not_this(base::Code::open_failed, process,
                  "does not listen to the signal that asks it (-Xrs?)");
}

base::result<void> check_sees(pid_t process, const std::string& path, std::string_view option) {
  struct stat ours{}, its{};
  if (stat(path.c_str(), &ours) != 0)
    return base::fail(base::Code::open_failed, fmt::format("{}: {}", path, std::strerror(errno)));
  const Descriptor there = open_as_seen_by(process, path, 0);
  if (there && fstat(there.get(), &its) == 0 && ours.st_dev == its.st_dev &&
      ours.st_ino == its.st_ino)
    return {};
  return not_this(base::Code::usage, process,
                  fmt::format("has another root and does not see {}: name one with {} that is at "
                              "the same place for both",
                              path, option));
}

base::result<void> load_into_jvm(pid_t process, const std::string& path, const std::string& options,
                                 milliseconds patience) {
  const auto file = make_listen(process, patience);
  if (!file) return base::Unexpected(file.error());
  const auto connected = agent::control::connect_unix(fmt::format("/proc/self/fd/{}", file->get()));
  if (!connected) return not_this(base::Code::open_failed, process, connected.error().detail);
  const Descriptor& socket = *connected;
  std::string request = "1";
  for (const std::string_view part :
       {std::string_view(), std::string_view("load"), std::string_view(path),
        std::string_view("true"), std::string_view(options)}) {
    if (!part.empty()) request += part;
    request += '\0';
  }
  if (!send_all(socket.get(), request))
    return not_this(base::Code::open_failed, process, std::strerror(errno));
  const std::string said = receive_all(socket.get());
  if (is_success(said)) return {};
  return not_this(base::Code::open_failed, process,
                  fmt::format("the agent was not loaded: {}", one_line(said)));
}

}  // namespace polytrace::service
