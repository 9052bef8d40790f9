// SPDX-License-Identifier: Apache-2.0
#include "warehouse/post.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/text/terminal_text.hpp"
#include "base/text/utf8.hpp"
#include "warehouse/curl.hpp"

namespace polytrace::warehouse {
namespace {

using Handle = std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)>;
using FieldList = std::unique_ptr<curl_slist, decltype(&::curl_slist_free_all)>;

}  // namespace

struct Poster::State {
  FieldList list_of(const std::vector<std::string>& more) const;
  void prepare(const std::string& url, curl_slist* fields, base::Bytes body) const;
  void show(const PostOptions& shown) const;
  std::string field_of_answer(const std::string& name) const;
  template <class Value>
  void set(CURLoption option, Value value) const {
    library.easy_setopt(handle.get(), option, value);
  }

  const CurlLibrary& library;
  PostOptions options;
  Handle handle;
  bool was_sent = false;
};

// Without "Expect" a server is not asked before a long body.
FieldList Poster::State::list_of(const std::vector<std::string>& more) const {
  FieldList list(library.slist_append(nullptr, "Expect:"), library.slist_free_all);
  for (const auto* fields : {&options.fields, &more})
    for (const std::string& field : *fields)
      if (list) static_cast<void>(library.slist_append(list.get(), field.c_str()));
  return list;
}

void Poster::State::show(const PostOptions& shown) const {
  if (!shown.ca.empty()) set(CURLOPT_CAINFO, shown.ca.c_str());
  if (!shown.certificate.empty()) {
    set(CURLOPT_SSLCERT, shown.certificate.c_str());
    set(CURLOPT_SSLKEY, shown.key.c_str());
  }
  if (shown.token.empty()) return;
  set(CURLOPT_HTTPAUTH, long{CURLAUTH_BEARER});
  set(CURLOPT_XOAUTH2_BEARER, shown.token.c_str());
}

std::string Poster::State::field_of_answer(const std::string& name) const {
  curl_header* field = nullptr;
  if (name.empty() ||
      library.easy_header(handle.get(), name.c_str(), 0, CURLH_HEADER, -1, &field) != CURLHE_OK)
    return {};
  return field->value;
}

void Poster::State::prepare(const std::string& url, curl_slist* fields, base::Bytes body) const {
  library.easy_reset(handle.get());
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, long{options.connect_within.count()});
  set(CURLOPT_TIMEOUT_MS, long{options.within.count()});
  set(CURLOPT_NOPROXY, "127.0.0.1,localhost,::1");
  set(CURLOPT_HTTPHEADER, fields);
  if (options.needs_tls13) set(CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_3});
  if (options.asks_every.count() != 0) {
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_TCP_KEEPIDLE, long{options.asks_every.count()});
    set(CURLOPT_TCP_KEEPINTVL, long{options.asks_every.count()});
  }
  if (!options.keeps_connection) set(CURLOPT_FORBID_REUSE, 1L);
  show(options);
  set(CURLOPT_POST, 1L);
  set(CURLOPT_CUSTOMREQUEST, options.method.c_str());
  if (options.stop != nullptr) give_up_when(library, handle.get(), *options.stop);
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  // Without any bytes it would read standard input.
  set(CURLOPT_POSTFIELDS, body.empty() ? static_cast<const void*>("") : body.data());
}

std::string first_line(base::Bytes answer) {
  constexpr std::size_t kLongestLine = 300;
  const std::string_view text(reinterpret_cast<const char*>(answer.data()), answer.size());
  return base::printable(
      base::short_name(base::repaired(text.substr(0, text.find('\n'))), kLongestLine));
}

base::result<Poster> Poster::open(PostOptions options) {
  const auto found = curl_library();
  if (!found) return base::Unexpected(found.error());
  const CurlLibrary& library = **found;
  auto state = std::make_unique<State>(
      State{library, std::move(options), Handle(library.easy_init(), library.easy_cleanup)});
  if (!state->handle) return base::fail(base::Code::store_unreachable, "libcurl does not start");
  return Poster(std::move(state));
}

Poster::Poster(std::unique_ptr<State> state) : state_(std::move(state)) {}
Poster::Poster(Poster&&) noexcept = default;
Poster& Poster::operator=(Poster&&) noexcept = default;
Poster::~Poster() = default;

bool Poster::may_have_arrived() const { return state_->was_sent; }

base::result<Posted> Poster::post(base::Bytes body, const Posting& more) {
  constexpr curl_off_t kMostWait = 3600;
  State& state = *state_;
  const CurlLibrary& library = state.library;
  CURL* const handle = state.handle.get();
  const std::string url = state.options.url + more.path;
  const FieldList fields = state.list_of(more.fields);
  if (!fields) return base::fail(base::Code::store_unreachable, "libcurl has no memory");
  CurlAnswer answer{.most = state.options.most_answer};
  char fault[CURL_ERROR_SIZE] = {};
  state.prepare(url, fields.get(), body);
  state.set(CURLOPT_WRITEFUNCTION, &take_answer);
  state.set(CURLOPT_WRITEDATA, &answer);
  state.set(CURLOPT_ERRORBUFFER, fault);
  const CURLcode outcome = library.easy_perform(handle);
  state.set(CURLOPT_ERRORBUFFER, nullptr);
  state.set(CURLOPT_HTTPHEADER, nullptr);
  long status = 0, request = 0;
  curl_off_t wait = 0;
  library.easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  library.easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &request);
  library.easy_getinfo(handle, CURLINFO_RETRY_AFTER, &wait);
  state.was_sent = request > 0;
  if (answer.is_too_large)
    return base::fail(base::Code::limit_exceeded,
                      fmt::format("{}: answer of more than {} bytes", url, answer.most));
  if (outcome == CURLE_OK)
    return Posted{static_cast<int>(status), std::chrono::seconds(std::min(wait, kMostWait)),
                  std::move(answer.bytes), state.field_of_answer(more.wanted)};
  const char* const why = fault[0] != 0 ? fault : library.easy_strerror(outcome);
  return base::fail(base::Code::store_unreachable, fmt::format("{}: {}", url, why));
}

}  // namespace polytrace::warehouse
