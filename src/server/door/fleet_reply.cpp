// SPDX-License-Identifier: Apache-2.0
#include "server/door/fleet_reply.hpp"

#include "server/door/router.hpp"

namespace polytrace::server {

http::Reply fleet_reply(const FleetOffer& fleet, const std::string& target, const std::string& body,
                        const std::atomic<bool>& stop) {
  const Request request{.method = "POST", .target = "/api/1/fleet/" + target, .body = body};
  const auto found = route(request.method, request.path());
  if (!found) return fault_reply(found.error());
  if (found->endpoint->answer == answer_fleet_get) return fault_reply(Fault::unknown_path);
  Offers offers(Options{.fleet = fleet});
  return reply_to(offers, request, *found, stop);
}

}  // namespace polytrace::server
