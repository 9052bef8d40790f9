// SPDX-License-Identifier: Apache-2.0
// A call as answers have it. Pure; thread-safe.
#pragma once

#include "server/answers/ask.hpp"
#include "service/trace/call.hpp"

namespace polytrace::server {

inline void write_call(base::JsonWriter& json, const Ask& ask, const service::CallFacts& call) {
  json.begin_object();
  const std::string track = "calls:" + std::to_string(call.address.thread);
  json.member("track", track);
  json.member("thread", call.address.thread);
  json.member("row", call.address.row);
  json.member("start", call.address.start);
  json.member("end", call.end);
  json.member("open", call.is_open);
  json.member("method", call.method);
  json.member("name", ask.trace().method_name(call.method));
  if (call.inside) {
    json.member("self", call.inside->self);
    json.member("calls_inside", call.inside->calls);
    json.member("bytes", call.inside->bytes);
    json.member("objects", call.inside->objects);
    json.member("blocked", call.inside->blocked);
    json.member("waiting", call.inside->waiting);
    json.member("paused", call.inside->paused);
  }
  json.member("call", service::to_text(call.address));
  json.end_object();
}

}  // namespace polytrace::server
