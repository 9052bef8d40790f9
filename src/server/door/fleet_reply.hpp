// SPDX-License-Identifier: Apache-2.0
// Questions about a fleet without the rest of the server, for who lets in others than the page.
#pragma once

#include <atomic>
#include <string>

#include "http/messages.hpp"
#include "server/offers.hpp"

namespace polytrace::server {

// What POST /api/1/fleet/<target> answers from that store, flame graphs included; nothing is opened
// as a trace ("get" is no question here). Whatever is asked, it is a reply. Ends soon once `stop`
// is true. Any thread.
http::Reply fleet_reply(const FleetOffer& fleet, const std::string& target, const std::string& body,
                        const std::atomic<bool>& stop);

}  // namespace polytrace::server
