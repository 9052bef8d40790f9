// SPDX-License-Identifier: Apache-2.0
// What a request can be refused for, and how that is told. Pure; thread-safe.
#pragma once

#include <tl/expected.hpp>

#include "http/listener.hpp"
#include "service/input/pass.hpp"

namespace polytrace::server {

using http::Field;
using http::Reply;
using http::Request;

enum class Fault : std::uint8_t {
#define FAULT(name, ...) name,
#include "server/http/faults.def"
#undef FAULT
};

// {"schema": "polytrace.ui.error/1", "code", "message", "hint"}, with the fault's status.
Reply fault_reply(Fault fault, std::string_view detail = {});
// What the listener has to say.
Reply fault_reply(http::Broken what, std::string_view detail);
// What the service has to say: a wrong use is the request's fault, a limit is told as one.
Reply fault_reply(const base::Error& error, std::string_view file = {});
inline Reply fault_reply(const service::Refusal& refusal) {
  return fault_reply(refusal.error, refusal.file);
}

// An answer's JSON, or why there is none.
using Answered = tl::expected<Reply, Reply>;
inline tl::unexpected<Reply> wrong(std::string_view detail) {
  return tl::unexpected(fault_reply(Fault::request_invalid, detail));
}

}  // namespace polytrace::server
