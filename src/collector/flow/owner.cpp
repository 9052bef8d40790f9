// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/owner.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "agent/control/protocol/endpoint.hpp"
#include "base/text/utf8.hpp"

namespace polytrace::collector {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// Runtimes name a container's group by its id: 64 hexadecimal digits, among other words.
std::string container_of(pid_t process) {
  constexpr std::size_t kDigits = 64;
  constexpr std::string_view kHexadecimal = "0123456789abcdef";
  std::ifstream in(fmt::format("/proc/{}/cgroup", process));
  for (std::string line; std::getline(in, line);) {
    std::size_t count = 0;
    for (std::size_t i = 0; i <= line.size(); ++i) {
      const bool is_digit = i < line.size() && kHexadecimal.find(line[i]) != kHexadecimal.npos;
      if (!is_digit && count == kDigits) return line.substr(i - kDigits, 12);
      count = is_digit ? count + 1 : 0;
    }
  }
  return {};
}

}  // namespace

std::optional<Owner> owner_of(int socket) {
  ucred peer{};
  if (!agent::control::peer_of(socket, peer) || peer.pid <= 0) return std::nullopt;
  Owner owner{.user = peer.uid, .process = peer.pid, .name = {}, .labels = {}};
  owner.started = agent::control::start_time_of(peer.pid);
  if (owner.started == 0) return std::nullopt;
  owner.name = fmt::format(
      "{} {}", base::repaired(first_line(fmt::format("/proc/{}/comm", peer.pid))), peer.pid);
  owner.labels = {{"host", host_name()}, {"instance", fmt::to_string(peer.pid)}};
  if (auto container = container_of(peer.pid); !container.empty())
    owner.labels.emplace_back("container", std::move(container));
  return owner;
}

}  // namespace polytrace::collector
