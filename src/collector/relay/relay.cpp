// SPDX-License-Identifier: Apache-2.0
#include "collector/relay/relay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <protozero/exception.hpp>
#include <protozero/pbf_message.hpp>
#include <thread>

#include "base/codes.hpp"
#include "base/io/sink.hpp"
#include "base/text/terminal_text.hpp"
#include "base/text/utf8.hpp"
#include "collector/relay/window_profiles.hpp"
#include "exports/profiles/fields.hpp"
#include "warehouse/post.hpp"

namespace polytrace::collector {
namespace {

using base::Code;

constexpr std::chrono::milliseconds kBreath{100};

struct RelayForm {
  std::string_view path;
  std::string_view type;
};
constexpr std::array kForms{
    RelayForm{"/v1development/profiles", "application/x-protobuf"},
    RelayForm{"/push.v1.PusherService/Push", "application/proto"},
};
const RelayForm& form_of(RelayKind kind) { return kForms[static_cast<std::size_t>(kind)]; }

// A server that is busy, or one behind it that is away: nothing was taken.
bool is_passing(int status) {
  constexpr std::array kStatus = {429, 502, 503, 504};
  return std::ranges::find(kStatus, status) != kStatus.end();
}

// What a receiver says of a request that it took. Bytes that are no such answer say nothing.
struct Partial {
  std::int64_t rejected = 0;
  std::string why;
};
Partial partial_of(std::string_view answer) {
  using namespace exports;
  Partial partial;
  try {
    protozero::pbf_message<OtlpResponse> message(answer.data(), answer.size());
    while (
        message.next(OtlpResponse::partial_success, protozero::pbf_wire_type::length_delimited)) {
      protozero::pbf_message<OtlpPartialSuccess> told(message.get_message());
      while (told.next()) {
        if (told.tag() == OtlpPartialSuccess::rejected_profiles &&
            told.has_wire_type(protozero::pbf_wire_type::varint))
          partial.rejected = told.get_int64();
        else if (told.tag() == OtlpPartialSuccess::error_message &&
                 told.has_wire_type(protozero::pbf_wire_type::length_delimited))
          partial.why = told.get_string();
        else told.skip();
      }
    }
  } catch (const protozero::exception&) {
    return {};
  }
  return partial;
}

base::result<std::string> token_of(const std::string& file) {
  std::string line;
  if (file.empty()) return line;
  std::ifstream in(file, std::ios::binary);
  if (!std::getline(in, line)) {
    auto fault = base::system_fault(Code::open_failed);
    fault.value().place.frame = file;
    return fault;
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

base::result<std::string> whole_url(const RelayOptions& relay) {
  const std::string& url = relay.url;
  const std::size_t host = url.find("://");
  const bool is_web = url.starts_with("http://") || url.starts_with("https://");
  if (!is_web || host + 3 == url.size())
    return base::fail(Code::address_wrong, "it must be http://HOST:PORT or https://HOST:PORT");
  const std::size_t path = url.find('/', host + 3);
  if (url.substr(host + 3, path - host - 3).find('@') != std::string::npos)
    return base::fail(Code::address_wrong, "no user or password in it: --token-file has a place");
  const std::string_view own = form_of(relay.kind).path;
  if (path == std::string::npos) return url + std::string(own);
  if (url.ends_with(own)) return url;
  return url.substr(0, url.find_last_not_of('/') + 1) + std::string(own);
}

class Relay final : public PushTarget {
 public:
  Relay(RelayOptions relay, TargetOptions options, warehouse::Poster poster)
      : relay_(std::move(relay)), options_(std::move(options)), poster_(std::move(poster)) {}

  void begin(const SeriesIds& ids, const warehouse::Labels& labels) override {
    profiles_.begin(ids.series, labels);
  }
  void take(Rows&& rows) override {
    for (const auto& [key, window] : profiles_.take(std::move(rows))) {
      if (error_) return;
      const auto message = relay_.kind == RelayKind::otlp ? profiles_.otlp(key, window)
                                                          : profiles_.pyroscope(key, window);
      if (!message) error_ = message.error();
      else if (auto done = send(*message); !done) error_ = done.error();
      else delivered_.rows += window.size();
    }
  }
  void finish() override {}

 private:
  // OTLP is packed here; Pyroscope's has packed profiles in it.
  base::result<void> send(const std::string& message) {
    std::vector<std::byte> body;
    auto sink = base::memory_sink(body);
    if (relay_.kind == RelayKind::otlp) sink = base::gzip_sink(std::move(sink));
    if (auto done = sink->write(std::as_bytes(std::span(message))); !done) return done;
    if (auto done = sink->commit(); !done) return done;
    std::chrono::milliseconds wait = relay_.wait;
    for (unsigned tried = 1;; ++tried) {
      const auto posted = poster_.post(body);
      if (posted && posted->status / 100 == 2) return taken(*posted);
      const base::Error error = posted ? refused(*posted) : posted.error();
      const bool again = posted ? is_passing(posted->status)
                                : relay_.kind == RelayKind::otlp || !poster_.may_have_arrived();
      const bool stops = options_.stop != nullptr && *options_.stop;
      if (!again || stops || tried >= relay_.tries) return base::Unexpected(error);
      if (options_.tell) options_.tell(base::to_text(error));
      ++delivered_.retries;
      pause(wait);
      wait *= 2;
    }
  }
  void pause(std::chrono::milliseconds wait) const {
    for (; wait.count() > 0 && (options_.stop == nullptr || !*options_.stop); wait -= kBreath)
      std::this_thread::sleep_for(std::min(wait, kBreath));
  }
  base::Error refused(const warehouse::Posted& posted) const {
    return {Code::store_refused,
            {},
            fmt::format("{}: HTTP {}: {}", relay_.url, posted.status,
                        warehouse::first_line(posted.answer))};
  }
  base::result<void> taken(const warehouse::Posted& posted) {
    ++delivered_.messages;
    if (relay_.kind != RelayKind::otlp) return {};
    const Partial partial =
        partial_of({reinterpret_cast<const char*>(posted.answer.data()), posted.answer.size()});
    if (partial.rejected > 0)
      delivered_.notices.add(
          {Code::value_unexpected,
           static_cast<std::uint64_t>(partial.rejected),
           0,
           {},
           fmt::format("profiles that the receiver rejected: {}",
                       warehouse::first_line(std::as_bytes(std::span(partial.why)))),
           {}});
    return {};
  }

  const RelayOptions relay_;
  const TargetOptions options_;
  warehouse::Poster poster_;
  WindowProfiles profiles_;
};

}  // namespace

base::result<std::unique_ptr<PushTarget>> push_to_server(RelayOptions relay,
                                                         TargetOptions options) {
  auto url = whole_url(relay);
  if (!url) return base::Unexpected(url.error());
  relay.url = std::move(*url);
  auto token = token_of(relay.token_file);
  if (!token) return base::Unexpected(token.error());
  warehouse::PostOptions post{.url = relay.url, .token = std::move(*token)};
  post.fields.push_back(fmt::format("Content-Type: {}", form_of(relay.kind).type));
  if (relay.kind == RelayKind::otlp) post.fields.emplace_back("Content-Encoding: gzip");
  if (!relay.tenant.empty()) post.fields.push_back("X-Scope-OrgID: " + relay.tenant);
  post.keeps_connection = relay.kind == RelayKind::otlp;
  auto poster = warehouse::Poster::open(std::move(post));
  if (!poster) return base::Unexpected(poster.error());
  return std::make_unique<Relay>(std::move(relay), std::move(options), std::move(*poster));
}

}  // namespace polytrace::collector
