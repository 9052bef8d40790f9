// SPDX-License-Identifier: Apache-2.0
#include "server/door/router.hpp"

#include <fmt/format.h>

#include <array>

namespace polytrace::server {
namespace {

constexpr std::string_view kPrefix = "/api/1";

constexpr std::array kEndpoints{
#define ENDPOINT(name, method, path, query, lane, says) \
  Endpoint{#name, #method, path, query, Lane::lane, says, answer_##name},
#include "server/endpoints.def"
#undef ENDPOINT
};

std::string_view take_word(std::string_view& path) {
  const std::size_t end = std::min(path.find('/', 1), path.size());
  const std::string_view word = path.substr(1, end - 1);
  path.remove_prefix(end);
  return word;
}

bool fits(std::string_view path, std::string_view pattern, Route& route) {
  while (path.starts_with('/') && pattern.starts_with('/')) {
    const std::string_view word = take_word(path), wanted = take_word(pattern);
    if (wanted == "{trace}") route.trace = word;
    else if (wanted.starts_with('{')) route.words.push_back(word);
    else if (word != wanted) return false;
    if (word.empty()) return false;
  }
  return path.empty() && pattern.empty();
}

std::string progress_text(const TraceView& view) {
  return std::string(word_of(view.state)) + ", " + std::to_string(view.read) + " of " +
         std::to_string(view.size) + " bytes read";
}

// Why the trace of a route cannot answer, or nothing.
std::optional<Reply> find_trace(const Offers& offers, const Route& route, TraceView& view) {
  if (route.trace.empty()) return std::nullopt;
  auto found = offers.traces.find(route.trace);
  if (!found) return fault_reply(Fault::unknown_trace);
  view = std::move(*found);
  if (view.state == TraceState::ready) {
    if (const auto change = view.source->change())
      return fault_reply(Fault::trace_changed, fmt::format("{}: {}", view.file, *change));
    return std::nullopt;
  }
  if (view.error) return fault_reply(Fault::trace_failed, service::sentence(view.error->error));
  return fault_reply(Fault::not_ready, progress_text(view));
}

Reply asked(Offers& offers, const Request& request, const Route& route,
            const std::atomic<bool>& stop) {
  const Query query(request.query(), route.endpoint->query);
  if (!query.fault().empty()) return fault_reply(Fault::request_invalid, query.fault());
  TraceView view;
  if (auto refusal = find_trace(offers, route, view)) return std::move(*refusal);
  const bool keeps = route.endpoint->lane == Lane::slow;
  const std::string key = request.target + '\n' + request.body;
  if (keeps)
    if (const auto kept = offers.cache.find(key)) return *kept;
  Body body(request.body);
  if (!body.fault().empty()) return fault_reply(Fault::request_invalid, body.fault());
  Ask ask{.offers = offers,
          .request = request,
          .query = query,
          .body = body,
          .stop = stop,
          .words = route.words,
          .view = std::move(view)};
  Answered answered = route.endpoint->answer(ask);
  if (!answered) return std::move(answered.error());
  if (keeps && !stop) offers.cache.keep(key, *answered);
  return std::move(*answered);
}

}  // namespace

std::span<const Endpoint> endpoints() { return kEndpoints; }

tl::expected<Route, Fault> route(std::string_view method, std::string_view path) {
  if (!path.starts_with(kPrefix)) return tl::unexpected(Fault::unknown_path);
  path.remove_prefix(kPrefix.size());
  if (method == "HEAD") method = "GET";
  Fault fault = Fault::unknown_path;
  for (const Endpoint& endpoint : kEndpoints) {
    Route route{.endpoint = &endpoint};
    if (!fits(path, endpoint.path, route)) continue;
    if (endpoint.method == method) return route;
    fault = Fault::method_refused;
  }
  return tl::unexpected(fault);
}

Reply reply_to(Offers& offers, const Request& request, const Route& route,
               const std::atomic<bool>& stop) {
  try {
    return asked(offers, request, route, stop);
  } catch (const std::bad_alloc&) {
    return fault_reply(Fault::answer_too_large, "no memory for it");
  } catch (const std::exception& fault) {
    return fault_reply(Fault::internal, fault.what());
  }
}

}  // namespace polytrace::server
