// SPDX-License-Identifier: Apache-2.0
// Where agent and clients meet: a Unix socket in a folder of its own, TCP on the loopback address
// with a token, or a socket that the agent dials. Descriptors are close-on-exec and do not block;
// whoever gets one closes it. The detail of an error says why in a sentence.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/codes.hpp"
#include "base/result.hpp"

namespace polytrace::agent::control {

// The connection or what it needs cannot be had.
inline base::Unexpected refusal(std::string why) {
  return base::fail(base::Code::open_failed, std::move(why));
}

// A descriptor with an owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release();
  void close();

 private:
  int number_ = -1;
};

// When a process began, in the kernel's ticks since boot: with its id, what names it for good. 0
// where there is no such process.
std::uint64_t start_time_of(pid_t process);

// The id that a process knows itself by: in a namespace of processes it is another one.
pid_t own_id_of(pid_t process);

// The folder of a user's sockets: $XDG_RUNTIME_DIR/polytrace or, without that,
// /tmp/polytrace-<uid>.
std::string meeting_folder();
// The folders in which the socket of a process may be, likeliest first: its user may be another,
// and so may its environment.
std::vector<std::string> meeting_folders_of(pid_t process);
// <folder>/<process>-<start time>
std::string process_folder(std::string_view folder, pid_t process, std::uint64_t started);
// The socket's name within it, and that of the file with the token for TCP.
inline constexpr std::string_view kSocketName = "control";
inline constexpr std::string_view kTokenName = "token";

// A folder of that user that nobody else can enter.
bool is_private_folder(const std::string& path, uid_t owner);
// Makes the folder with mode 0700; one that is there must be a folder of ours that nobody else can
// enter.
base::result<void> make_private_folder(const std::string& path);
// Listens at `path`, mode 0600, from the moment that it can be seen there. What lay there is
// replaced if it is a socket.
base::result<Descriptor> listen_unix(const std::string& path);
// Listens on 127.0.0.1; port 0 takes a free one. `port` becomes the real one.
base::result<Descriptor> listen_loopback(std::uint16_t& port);
// A client's side, and that of an agent that dials out.
base::result<Descriptor> connect_unix(const std::string& path);
inline constexpr std::size_t kLongestPath = 107;
base::result<Descriptor> connect_loopback(std::uint16_t port);
// Does not wait: the connection may still be on its way, and fail later.
base::result<Descriptor> dial_loopback(std::uint16_t port);

// Who made a Unix socket's other end; false where that cannot be told.
bool peer_of(int socket, ucred& peer);
// Whether it is us or root.
bool is_trusted_peer(int socket);

// 128 random bits as 32 hexadecimal digits, in a new file of mode 0600.
base::result<std::string> make_token_file(const std::string& path);
// One that somebody else made: of at least 16 bytes, ours, and readable by nobody else.
base::result<std::string> read_private_token(const std::string& path);
// "" where it cannot be read.
std::string read_token_file(const std::string& path);
// Takes as long wherever the difference is.
bool same_secret(std::string_view one, std::string_view other);

}  // namespace polytrace::agent::control
