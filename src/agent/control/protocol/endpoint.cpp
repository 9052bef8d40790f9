// SPDX-License-Identifier: Apache-2.0
#include "agent/control/protocol/endpoint.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace polytrace::agent::control {
namespace {

constexpr int kWaiting = 16;  // connections not yet accepted
constexpr mode_t kPrivateFolder = 0700;
constexpr mode_t kPrivateFile = 0600;
constexpr int kSocketFlags = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

base::Unexpected failure(std::string_view what, std::string_view path) {
  const char* const reason = std::strerror(errno);
  std::string why(path);
  why += ": ";
  why += what;
  why += ": ";
  return refusal(why += reason);
}

std::string read_small(const char* path) {
  const Descriptor file(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  std::array<char, 4096> bytes{};
  const ssize_t size = file ? ::read(file.get(), bytes.data(), bytes.size()) : -1;
  return size <= 0 ? std::string() : std::string(bytes.data(), static_cast<std::size_t>(size));
}

base::result<sockaddr_un> unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path))
    return refusal(path + ": a socket's path has 1 to 107 bytes");
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// The casts are the sockets' own way of speaking of addresses.
template <class Address>
int bind_to(int socket, const Address& address) {
  return bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}
template <class Address>
int connect_to(int socket, const Address& address) {
  int done = 0;
  do {
    done = connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  } while (done != 0 && errno == EINTR);
  return done;
}

bool remove_old_socket(const std::string& path) {
  struct stat found{};
  if (lstat(path.c_str(), &found) != 0) return true;
  return S_ISSOCK(found.st_mode) && found.st_uid == geteuid() && unlink(path.c_str()) == 0;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = other.release();
  }
  return *this;
}

int Descriptor::release() {
  const int number = number_;
  number_ = -1;
  return number;
}

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

std::uint64_t start_time_of(pid_t process) {
  const std::string path = "/proc/" + std::to_string(process) + "/stat";
  const std::string line = read_small(path.c_str());
  // The name, in parentheses, may hold anything; the start time is the 20th number behind it.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::size_t at = name_end + 1;
  for (int i = 0; i < 20 && at != std::string::npos; ++i) at = line.find(' ', at + (i > 0));
  return at == std::string::npos ? 0 : std::strtoull(line.c_str() + at, nullptr, 10);
}

pid_t own_id_of(pid_t process) {
  const std::string path = "/proc/" + std::to_string(process) + "/status";
  const std::string status = read_small(path.c_str());
  constexpr std::string_view kIds = "\nNSpid:";
  const std::size_t ids = status.find(kIds);
  if (ids == std::string::npos) return process;
  const std::size_t end = status.find('\n', ids + 1);
  const std::string line = status.substr(ids + kIds.size(), end - ids - kIds.size());
  const auto id = std::strtol(line.c_str() + line.find_last_of(" \t") + 1, nullptr, 10);
  return id > 0 ? static_cast<pid_t>(id) : process;
}

std::string meeting_folder() {
  const char* runtime = secure_getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/') return std::string(runtime) + "/polytrace";
  return "/tmp/polytrace-" + std::to_string(geteuid());
}

std::vector<std::string> meeting_folders_of(pid_t process) {
  std::vector<std::string> folders = {meeting_folder()};
  struct stat found{};
  const std::string place = "/proc/" + std::to_string(process);
  if (stat(place.c_str(), &found) != 0) return folders;
  const std::string user = std::to_string(found.st_uid);
  folders.push_back("/run/user/" + user + "/polytrace");
  folders.push_back("/tmp/polytrace-" + user);
  folders.push_back(place + "/root" + "/tmp/polytrace-" + user);
  return folders;
}

std::string process_folder(std::string_view folder, pid_t process, std::uint64_t started) {
  std::string path(folder);
  path += '/';
  path += std::to_string(process);
  path += '-';
  return path += std::to_string(started);
}

bool is_private_folder(const std::string& path, uid_t owner) {
  struct stat found{};
  return lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == owner &&
         (found.st_mode & 077) == 0;
}

base::result<void> make_private_folder(const std::string& path) {
  if (mkdir(path.c_str(), kPrivateFolder) != 0 && errno != EEXIST)
    return failure("cannot be made", path);
  if (!is_private_folder(path, geteuid()))
    return refusal(path + ": is no folder that only this user can enter");
  return {};
}

base::result<Descriptor> listen_unix(const std::string& path) {
  if (const auto named = unix_address(path); !named) return base::Unexpected(named.error());
  // The file gets its name once the socket listens, so that a client that finds it can connect.
  // Until then it has a name beside that one which is never longer.
  const std::string staged = path.substr(0, path.rfind('/') + 1) + '~';
  const auto address = unix_address(staged);
  if (!address) return base::Unexpected(address.error());
  Descriptor socket(::socket(AF_UNIX, kSocketFlags, 0));
  if (!socket || !remove_old_socket(staged) || !remove_old_socket(path) ||
      bind_to(socket.get(), *address) != 0 || chmod(staged.c_str(), kPrivateFile) != 0 ||
      listen(socket.get(), kWaiting) != 0 || rename(staged.c_str(), path.c_str()) != 0)
    return failure("no socket", path);
  return socket;
}

base::result<Descriptor> listen_loopback(std::uint16_t& port) {
  Descriptor socket(::socket(AF_INET, kSocketFlags, 0));
  sockaddr_in address = loopback(port);
  socklen_t size = sizeof(address);
  const int yes = 1;
  if (!socket || setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      bind_to(socket.get(), address) != 0 || listen(socket.get(), kWaiting) != 0 ||
      getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return failure("no socket", "127.0.0.1:" + std::to_string(port));
  port = ntohs(address.sin_port);
  return socket;
}

base::result<Descriptor> connect_unix(const std::string& path) {
  const auto address = unix_address(path);
  if (!address) return base::Unexpected(address.error());
  Descriptor socket(::socket(AF_UNIX, kSocketFlags, 0));
  if (!socket || connect_to(socket.get(), *address) != 0) return failure("nobody answers", path);
  return socket;
}

base::result<Descriptor> connect_loopback(std::uint16_t port) {
  // Loopback answers at once: blocking for the moment of connecting is simpler than waiting.
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || connect_to(socket.get(), loopback(port)) != 0 ||
      fcntl(socket.get(), F_SETFL, O_NONBLOCK) != 0)
    return failure("nobody answers", "127.0.0.1:" + std::to_string(port));
  return socket;
}

base::result<Descriptor> dial_loopback(std::uint16_t port) {
  Descriptor socket(::socket(AF_INET, kSocketFlags, 0));
  if (!socket || (connect_to(socket.get(), loopback(port)) != 0 && errno != EINPROGRESS))
    return failure("nobody answers", "127.0.0.1:" + std::to_string(port));
  return socket;
}

bool peer_of(int socket, ucred& peer) {
  socklen_t size = sizeof(peer);
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
}

bool is_trusted_peer(int socket) {
  ucred peer{};
  return peer_of(socket, peer) && (peer.uid == geteuid() || peer.uid == 0);
}

base::result<std::string> make_token_file(const std::string& path) {
  std::array<std::uint8_t, 16> random{};
  if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    return failure("no random numbers", path);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string token;
  for (const std::uint8_t byte : random) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  unlink(path.c_str());
  const Descriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivateFile));
  if (!file || write(file.get(), token.data(), token.size()) != static_cast<ssize_t>(token.size()))
    return failure("cannot be written", path);
  return token;
}

base::result<std::string> read_private_token(const std::string& path) {
  constexpr std::size_t kShortest = 16;
  struct stat found{};
  std::string token = read_token_file(path);
  const bool ours = lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
                    found.st_uid == geteuid() && (found.st_mode & 077) == 0;
  if (ours && token.size() >= kShortest) return token;
  return refusal(path + ": must hold at least 16 bytes, be ours, and of mode 0600");
}

std::string read_token_file(const std::string& path) {
  std::string token = read_small(path.c_str());
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  return token;
}

bool same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned char differences = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const volatile char left = one[i];
    differences |= static_cast<unsigned char>(left ^ other[i]);
  }
  return differences == 0;
}

}  // namespace polytrace::agent::control
