// SPDX-License-Identifier: Apache-2.0
#include "server/door/app.hpp"

#include <algorithm>
#include <thread>

#include "server/assets.hpp"
#include "server/door/router.hpp"
#include "server/http/guard.hpp"

namespace polytrace::server {
namespace {

constexpr unsigned kMostWorkers = 8;
constexpr std::uint64_t kMostBody = 1 << 20;
// Of them some wait, and hardly work. What one page asks at once is hardly more.
constexpr unsigned kStoreWorkers = 4;

unsigned workers() { return std::clamp(std::thread::hardware_concurrency(), 1U, kMostWorkers); }

}  // namespace

App::App(Options options, std::string token)
    : offers_(std::move(options)),
      token_(std::move(token)),
      jobs_(workers()),
      store_jobs_(kStoreWorkers) {}

std::optional<Reply> App::refuse(const Request& head) { return refusal_of(head, token_); }

std::uint64_t App::most_body(const Request&) const { return kMostBody; }
Reply App::broken(http::Broken what, std::string_view detail) { return fault_reply(what, detail); }

void App::answer(Request request, Stop stop, Done done) {
  if (!request.path().starts_with(kApi)) return done(page_file(request));
  const auto found = route(request.method, request.path());
  if (!found) return done(fault_reply(found.error()));
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(stops_, [](const auto& known) { return known.expired(); });
    stops_.push_back(stop);
    if (ended_) *stop = true;
  }
  const Lane lane = found->endpoint->lane;
  // Words of the route point into the request, which stays where it is.
  auto kept = std::make_shared<Request>(std::move(request));
  Jobs& jobs = lane == Lane::store ? store_jobs_ : jobs_;
  const bool taken = jobs.add(lane, [this, kept, stop, done] {
    const auto again = route(kept->method, kept->path());
    done(reply_to(offers_, *kept, *again, *stop));
  });
  if (!taken) done(fault_reply(Fault::busy));
}

Reply App::page_file(const Request& request) const {
  if (request.method != "GET" && request.method != "HEAD")
    return fault_reply(Fault::method_refused);
  if (!offers_.options.page_folder.empty()) return file_from(offers_.options.page_folder, request);
  return built_in_file(request);
}

void App::finish() {
  ended_ = true;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& known : stops_)
      if (const auto stop = known.lock()) *stop = true;
  }
  jobs_.finish();
  store_jobs_.finish();
  offers_.traces.finish();
}

}  // namespace polytrace::server
