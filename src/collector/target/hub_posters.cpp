// SPDX-License-Identifier: Apache-2.0
#include "collector/target/hub_posters.hpp"

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

constexpr std::chrono::seconds kAskEvery{15};

}  // namespace

base::result<std::vector<warehouse::Poster>> open_posters(const std::vector<std::string>& hubs,
                                                          const Credentials& shown,
                                                          const HubPatience& patience) {
  std::string token;
  if (!shown.token_file.empty()) {
    auto read = agent::control::read_private_token(shown.token_file);
    if (!read) return base::fail(base::Code::open_failed, read.error().detail);
    token = std::move(*read);
  }
  std::vector<warehouse::Poster> posters;
  for (const std::string& hub : hubs) {
    auto poster = warehouse::Poster::open({.url = hub,
                                           .fields = {"Content-Type: application/zstd"},
                                           .token = token,
                                           .ca = shown.ca,
                                           .certificate = shown.certificate,
                                           .key = shown.key,
                                           .needs_tls13 = true,
                                           .asks_every = kAskEvery,
                                           .connect_within = patience.connect,
                                           .within = patience.answer,
                                           .most_answer = patience.most_answer});
    if (!poster) return base::Unexpected(poster.error());
    posters.push_back(std::move(*poster));
  }
  return posters;
}

}  // namespace polytrace::collector
