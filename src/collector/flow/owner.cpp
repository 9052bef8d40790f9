// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/owner.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <string_view>

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"
#include "base/text/utf8.hpp"
#include "base/wall_clock.hpp"

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

// A clock that was set since then may be off by more than the slack: one more is asked for then, or
// is as new as it seems.
bool began_before(const Owner& owner, base::Time wall) {
  constexpr base::Time kSecondOfTime = 1'000'000'000;
  constexpr base::Time kSlack = 2 * kSecondOfTime;
  const long ticks = sysconf(_SC_CLK_TCK);
  timespec now{};
  if (owner.started == 0 || ticks <= 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return true;
  const base::Time since_boot = now.tv_sec * kSecondOfTime + now.tv_nsec;
  const base::Time begun =
      static_cast<base::Time>(owner.started / static_cast<std::uint64_t>(ticks)) * kSecondOfTime;
  return base::wall_now() - (since_boot - begun) < wall + kSlack;
}

Owner owner_over_tcp(std::uint64_t process) {
  return {.user = geteuid(),
          .name = fmt::format("tcp {}", process),
          .labels = {{"host", host_name()}, {"instance", fmt::to_string(process)}}};
}

base::result<std::unordered_map<uid_t, std::string>> databases_by_user(const Config& config) {
  std::unordered_map<uid_t, std::string> databases;
  for (const Tenant& tenant : config.tenants)
    for (const std::string& name : tenant.users) {
      const passwd* const user = getpwnam(name.c_str());
      if (user == nullptr)
        return base::fail(base::Code::usage,
                          fmt::format("tenant {}: there is no user {} here", tenant.name, name));
      databases[user->pw_uid] = tenant.database;
    }
  return databases;
}

}  // namespace polytrace::collector
